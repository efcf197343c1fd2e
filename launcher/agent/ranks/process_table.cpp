#include "launcher/agent/ranks/process_table.hpp"

#include "core/text/number.hpp"
#include "core/text/take.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/small_file.hpp"

#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace muster::ranks {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;

constexpr std::size_t max_cgroup_file = std::size_t{64} << 10;

// How long one look waits for processes in execve(), whose new memory is still empty. A process that seems to
// have been started without variables may also be in execve().
constexpr milliseconds time_for_programs{1000};
constexpr milliseconds time_for_empty{50};
constexpr std::chrono::microseconds wait_interval{300};

bool is_empty(const ProcessStat& stat) {
  return stat.environment_begin == stat.environment_end && stat.environment_end != 0;
}

}  // namespace

SeenProcess::SeenProcess(const fs::path& proc, pid_t pid)
    : directory_(proc / fmt::to_string(pid)), pid_(pid) {}

bool SeenProcess::belongs_to(uid_t user) const {
  struct stat status {};
  return ::stat(directory_.c_str(), &status) == 0 && status.st_uid == user;
}

std::optional<ProcessStat> SeenProcess::stat() const {
  return stat_of(directory_.parent_path(), pid_);
}

std::string SeenProcess::environment() const {
  return file("environ", max_environment);
}

std::string SeenProcess::control_groups() const {
  return file("cgroup", max_cgroup_file);
}

std::string SeenProcess::file(std::string_view name, std::size_t max_bytes) const {
  return os::small_file(directory_ / name, max_bytes);
}

void ProcessTable::each(const Visit& visit) const {
  walk(std::nullopt, visit);
}

void ProcessTable::each_of(uid_t user, const Visit& visit) const {
  walk(user, visit);
}

void ProcessTable::walk(const std::optional<uid_t>& user, const Visit& visit) const {
  std::error_code failed;
  std::size_t visited = 0;
  for (fs::directory_iterator at(proc_, failed), end;
       !failed && at != end && visited < max_processes; at.increment(failed)) {
    const auto pid = text::number<pid_t>(at->path().filename().native());
    if (!pid) continue;
    const SeenProcess process(proc_, *pid);
    if (user && !process.belongs_to(*user)) continue;
    ++visited;
    visit(process);
  }
}

// An unreadable environment looks like that of a process in execve(), but cannot be opened.
bool ProcessTable::may_get_an_environment(const SeenProcess& process) const {
  const auto stat = process.stat();
  if (!stat || stat->state == 'Z' || stat->exits() || stat->is_kernels()) return false;
  const auto limit = is_empty(*stat) ? time_for_empty : time_for_programs;
  const auto file = process.directory_ / "environ";
  return Clock::now() < began_ + limit && os::Descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
}

std::string ProcessTable::settled_environment(const SeenProcess& process) const {
  auto environment = process.environment();
  while (environment.empty() && may_get_an_environment(process)) {
    std::this_thread::sleep_for(wait_interval);
    environment = process.environment();
  }
  return environment;
}

std::optional<std::string_view> variable_in(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const auto entry = text::take(environment, '\0');
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

}  // namespace muster::ranks
