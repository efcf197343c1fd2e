#include "launcher/ranks/process_table.hpp"

#include "core/text/number.hpp"
#include "launcher/os/small_file.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

namespace muster::ranks {
namespace {

constexpr std::size_t max_processes = 65536;
constexpr std::size_t max_environment = std::size_t{1} << 20;
constexpr std::size_t max_cgroup_file = std::size_t{64} << 10;

bool belongs_to(const std::filesystem::path& directory, uid_t user) {
  struct stat status {};
  return stat(directory.c_str(), &status) == 0 && status.st_uid == user;
}

void read_marks(TableEntry& entry, const std::filesystem::path& directory, const RankSigns& signs) {
  entry.environment = mark_of(os::small_file(directory / "environ", max_environment), signs);
  if (entry.environment != Mark::none || signs.task_groups.empty()) return;
  const auto groups = task_groups_of(os::small_file(directory / "cgroup", max_cgroup_file));
  entry.in_ranks_group = std::ranges::any_of(
      groups, [&](const auto& group) { return signs.task_groups.contains(group); });
}

// Cuts the text up to the first `separator` off the front.
std::string_view take(std::string_view& rest, char separator) {
  const auto part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

}  // namespace

Mark mark_of(std::string_view environment, const RankSigns& signs) {
  std::string_view step;
  std::string_view task;
  std::string_view own_task;
  while (!environment.empty()) {
    const auto entry = take(environment, '\0');
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
    const auto line = take(cgroup_file, '\n');
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
  std::vector<TableEntry> table;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(proc, failed), end;
       !failed && at != end && table.size() < max_processes; at.increment(failed)) {
    const auto pid = text::number<pid_t>(at->path().filename().native());
    if (!pid) continue;
    const auto stat = stat_of(proc, *pid);
    if (!stat) continue;
    auto& entry = table.emplace_back(TableEntry{.stat = *stat});
    if (belongs_to(at->path(), user)) read_marks(entry, at->path(), signs);
  }
  return table;
}

}  // namespace muster::ranks
