#include "launcher/agent/ranks/process_table.hpp"

#include "core/text/number.hpp"
#include "core/text/take.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/small_file.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace muster::ranks {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_processes = 65536;
constexpr std::size_t max_environment = std::size_t{1} << 20;
constexpr std::size_t max_cgroup_file = std::size_t{64} << 10;

bool belongs_to(const std::filesystem::path& directory, uid_t user) {
  struct stat status {};
  return stat(directory.c_str(), &status) == 0 && status.st_uid == user;
}

// How long one look waits in all for processes that are in execve(): for a moment such a process has no
// environment, since its new memory is still empty. One that seems to have been given none may also be there.
struct Patience {
  static constexpr std::chrono::milliseconds for_programs{1000};
  static constexpr std::chrono::milliseconds for_empty{50};
  Clock::time_point began = Clock::now();

  [[nodiscard]] bool lasts(const ProcessStat& stat) const {
    const bool none = stat.environment_begin == stat.environment_end && stat.environment_end != 0;
    return Clock::now() < began + (none ? for_empty : for_programs);
  }
};

// What may not be read looks like a process in execve(), but cannot be opened.
bool may_get_an_environment(const std::filesystem::path& proc, pid_t pid,
                            const Patience& patience) {
  const auto stat = stat_of(proc, pid);
  if (!stat || stat->state == 'Z' || stat->exits() || stat->is_kernels()) return false;
  const auto file = proc / fmt::to_string(pid) / "environ";
  return patience.lasts(*stat) && os::Descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
}

std::string environment_of(const std::filesystem::path& proc, pid_t pid, const Patience& patience) {
  constexpr std::chrono::microseconds interval{300};
  const auto file = proc / fmt::to_string(pid) / "environ";
  auto environment = os::small_file(file, max_environment);
  while (environment.empty() && may_get_an_environment(proc, pid, patience)) {
    std::this_thread::sleep_for(interval);
    environment = os::small_file(file, max_environment);
  }
  return environment;
}

void read_marks(TableEntry& entry, const std::filesystem::path& proc, const RankSigns& signs,
                const Patience& patience) {
  const auto directory = proc / fmt::to_string(entry.stat.pid);
  if (entry.stat.start_time < signs.first_start) return;
  entry.environment = mark_of(environment_of(proc, entry.stat.pid, patience), signs);
  if (entry.environment != Mark::none || signs.task_groups.empty()) return;
  const auto groups = task_groups_of(os::small_file(directory / "cgroup", max_cgroup_file));
  entry.in_ranks_group = std::ranges::any_of(
      groups, [&](const auto& group) { return signs.task_groups.contains(group); });
}

}  // namespace

Mark mark_of(std::string_view environment, const RankSigns& signs) {
  std::string_view step;
  std::string_view task;
  std::string_view own_task;
  while (!environment.empty()) {
    const auto entry = text::take(environment, '\0');
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    if (entry.substr(0, equals) == wire::planned_variable) step = entry.substr(equals + 1);
    if (entry.substr(0, equals) == "SLURM_TASK_PID") task = entry.substr(equals + 1);
    if (entry.substr(0, equals) == wire::task_variable) own_task = entry.substr(equals + 1);
  }
  // An outer step's SLURM_TASK_PID is still there in a `muster run`.
  if (step == signs.step && !own_task.empty()) task = own_task;
  if (task.empty()) return Mark::none;
  const auto pid = text::number<pid_t>(task);
  return step == signs.step && pid && signs.pids.contains(*pid) ? Mark::rank : Mark::another;
}

std::set<std::string> task_groups_of(std::string_view cgroup_file) {
  std::set<std::string> groups;
  while (!cgroup_file.empty()) {
    const auto line = text::take(cgroup_file, '\n');
    const auto task = line.rfind("/task_");
    const auto step = line.find("/step_");
    if (step == std::string_view::npos || task == std::string_view::npos || task < step) continue;
    // "task_special" holds what Slurm has adopted into the step.
    if (text::number<std::uint32_t>(line.substr(task + 6))) groups.emplace(line);
  }
  return groups;
}

std::set<std::string> task_groups_of(const std::filesystem::path& proc, pid_t pid) {
  return task_groups_of(os::small_file(proc / fmt::to_string(pid) / "cgroup", max_cgroup_file));
}

std::vector<TableEntry> process_table(const std::filesystem::path& proc, const RankSigns& signs,
                                      uid_t user) {
  const Patience patience;
  std::vector<TableEntry> table;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(proc, failed), end;
       !failed && at != end && table.size() < max_processes; at.increment(failed)) {
    const auto pid = text::number<pid_t>(at->path().filename().native());
    if (!pid) continue;
    const auto stat = stat_of(proc, *pid);
    if (!stat) continue;
    auto& entry = table.emplace_back(TableEntry{.stat = *stat});
    if (belongs_to(at->path(), user)) read_marks(entry, proc, signs, patience);
  }
  return table;
}

}  // namespace muster::ranks
