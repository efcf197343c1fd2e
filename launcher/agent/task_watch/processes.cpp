#include "launcher/agent/task_watch/processes.hpp"

#include "core/error.hpp"
#include "core/text/number.hpp"
#include "core/text/take.hpp"
#include "launcher/agent/ranks/process_table.hpp"
#include "wire/variables.hpp"

#include <map>
#include <optional>
#include <string_view>

namespace muster::task_watch {
namespace {

constexpr std::size_t max_arguments = std::size_t{64} << 10;
constexpr std::size_t max_status = std::size_t{64} << 10;

// What /proc shows about one process.
struct Entry {
  TaskProcess process;
  bool of_this_step = false;
  bool of_another = false;  // belongs to another muster step
};

std::vector<std::string> arguments_of(const ranks::SeenProcess& process) {
  const auto text = process.file("cmdline", max_arguments);
  std::vector<std::string> arguments;
  for (std::string_view rest = text; !rest.empty();) arguments.emplace_back(text::take(rest, '\0'));
  return arguments;
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
  const auto of = ranks::variable_in(environment, wire::planned_variable);
  const auto procid =
      text::number<layout::ProcId>(ranks::variable_in(environment, "SLURM_PROCID").value_or(""));
  entry.of_this_step = of == step && procid;
  entry.of_another = of && of != step;
  entry.process.procid = procid.value_or(0);
  const auto accelerate = ranks::variable_in(environment, "ACCELERATE_CPU_AFFINITY").value_or("0");
  entry.process.accelerate_binds = accelerate == "1" || accelerate == "true";
}

std::optional<Entry> read_entry(const ranks::SeenProcess& process, const std::string& step) {
  Entry entry;
  read_environment(entry, process.environment(), step);
  const auto status = process.file("status", max_status);
  const auto parent = text::number<pid_t>(field(status, "PPid"));
  const auto cpus = field(status, "Cpus_allowed_list");
  if (!parent || cpus.empty()) return std::nullopt;
  entry.process.pid = process.pid();
  entry.process.parent = *parent;
  entry.process.name = field(status, "Name");
  entry.process.arguments = arguments_of(process);
  try {
    entry.process.cpus = CpuSet::parse(cpus);
  } catch (const Error&) {
    return std::nullopt;
  }
  return entry;
}

std::map<pid_t, Entry> entries_of(const std::filesystem::path& proc, const std::string& step,
                                  uid_t user) {
  std::map<pid_t, Entry> entries;
  ranks::ProcessTable(proc).each_of(user, [&](const ranks::SeenProcess& process) {
    if (auto entry = read_entry(process, step)) entries.emplace(process.pid(), std::move(*entry));
  });
  return entries;
}

// A program may have started others with a different environment: these belong to its task.
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
