#include "launcher/agent/task_watch/processes.hpp"

#include "core/error.hpp"
#include "core/text/number.hpp"
#include "launcher/agent/task_watch/process_environment.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include <sys/stat.h>

namespace muster::task_watch {
namespace {

constexpr std::size_t max_processes = 65536;
constexpr std::size_t max_arguments = std::size_t{64} << 10;
constexpr std::size_t max_status = std::size_t{64} << 10;

// What /proc says about one process.
struct Entry {
  TaskProcess process;
  bool of_this_step = false;
  bool of_another = false;  // of another muster step
};

std::string read(const std::filesystem::path& file, std::size_t max_bytes) {
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  std::array<char, 4096> block{};  // most files are this short; the bound is for the longest
  while (text.size() < max_bytes &&
         (stream.read(block.data(), block.size()) || stream.gcount() > 0)) {
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find('\0'), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// The value of NAME among strings that each end with a zero byte.
std::optional<std::string_view> value_of(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const auto entry = environment.substr(0, environment.find('\0'));
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
    environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
  }
  return std::nullopt;
}

// The value of "Name:" among the lines of a status file.
std::string_view field(std::string_view status, std::string_view name) {
  for (std::size_t at = 0; at < status.size();) {
    const auto line = status.substr(at, status.find('\n', at) - at);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(":\t")) {
      return line.substr(name.size() + 2);
    }
    at += line.size() + 1;
  }
  return {};
}

void read_environment(Entry& entry, std::string_view environment, const std::string& step) {
  const auto of = value_of(environment, wire::planned_variable);
  const auto procid =
      text::number<layout::ProcId>(value_of(environment, "SLURM_PROCID").value_or(""));
  entry.of_this_step = of == step && procid;
  entry.of_another = of && of != step;
  entry.process.procid = procid.value_or(0);
  const auto accelerate = value_of(environment, "ACCELERATE_CPU_AFFINITY").value_or("0");
  entry.process.accelerate_binds = accelerate == "1" || accelerate == "true";
}

std::optional<Entry> read_entry(const std::filesystem::path& directory, pid_t pid,
                                const std::string& step) {
  Entry entry;
  read_environment(entry, read(directory / "environ", max_environment), step);
  const auto status = read(directory / "status", max_status);
  const auto parent = text::number<pid_t>(field(status, "PPid"));
  const auto cpus = field(status, "Cpus_allowed_list");
  if (!parent || cpus.empty()) return std::nullopt;
  entry.process.pid = pid;
  entry.process.parent = *parent;
  entry.process.name = field(status, "Name");
  entry.process.arguments = split(read(directory / "cmdline", max_arguments));
  try {
    entry.process.cpus = CpuSet::parse(cpus);
  } catch (const Error&) {
    return std::nullopt;
  }
  return entry;
}

bool belongs_to(const std::filesystem::path& directory, uid_t user) {
  struct stat status {};
  return stat(directory.c_str(), &status) == 0 && status.st_uid == user;
}

std::map<pid_t, Entry> entries_of(const std::filesystem::path& proc, const std::string& step,
                                  uid_t user) {
  std::map<pid_t, Entry> entries;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(proc, failed), end; !failed && at != end;
       at.increment(failed)) {
    const auto pid = text::number<pid_t>(at->path().filename().string());
    if (!pid || !belongs_to(at->path(), user)) continue;
    if (auto entry = read_entry(at->path(), *pid, step)) entries.emplace(*pid, std::move(*entry));
    if (entries.size() == max_processes) break;
  }
  return entries;
}

// A program may have started others with a different environment: they belong to its task.
const Entry* of_task(const std::map<pid_t, Entry>& entries, const Entry& entry) {
  const Entry* at = &entry;
  for (std::size_t steps = 0; steps < entries.size(); ++steps) {
    if (at->of_this_step) return at;
    const auto parent = entries.find(at->process.parent);
    if (at->of_another || parent == entries.end()) return nullptr;
    at = &parent->second;
  }
  return nullptr;
}

}  // namespace

std::vector<TaskProcess> task_processes(const std::filesystem::path& proc, const std::string& step,
                                        uid_t user) {
  const auto entries = entries_of(proc, step, user);
  std::vector<TaskProcess> processes;
  for (const auto& [pid, entry] : entries) {
    const auto* const task = of_task(entries, entry);
    if (task == nullptr) continue;
    processes.push_back(entry.process);
    processes.back().procid = task->process.procid;
  }
  return processes;
}

}  // namespace muster::task_watch
