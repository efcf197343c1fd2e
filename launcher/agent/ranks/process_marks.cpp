#include "launcher/agent/ranks/process_marks.hpp"

#include "core/text/number.hpp"
#include "core/text/take.hpp"
#include "launcher/agent/ranks/process_table.hpp"
#include "wire/variables.hpp"

#include <algorithm>

namespace muster::ranks {
namespace {

void read_marks(TableEntry& entry, const ProcessTable& table, const SeenProcess& process,
                const RankSigns& signs) {
  if (entry.stat.start_time < signs.first_start) return;
  entry.environment = mark_of(table.settled_environment(process), signs);
  if (entry.environment != Mark::none || signs.task_groups.empty()) return;
  const auto groups = task_groups_of(process.control_groups());
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
  // In a `muster run`, an outer step's SLURM_TASK_PID is still set.
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
    // "task_special" contains processes that Slurm has adopted into the step.
    if (text::number<std::uint32_t>(line.substr(task + 6))) groups.emplace(line);
  }
  return groups;
}

std::set<std::string> task_groups_of(const std::filesystem::path& proc, pid_t pid) {
  return task_groups_of(SeenProcess(proc, pid).control_groups());
}

std::vector<TableEntry> marked_processes(const std::filesystem::path& proc, const RankSigns& signs,
                                         uid_t user) {
  const ProcessTable table(proc);
  std::vector<TableEntry> entries;
  table.each([&](const SeenProcess& process) {
    const auto stat = process.stat();
    if (!stat) return;
    auto& entry = entries.emplace_back(TableEntry{.stat = *stat});
    if (process.belongs_to(user)) read_marks(entry, table, process, signs);
  });
  return entries;
}

}  // namespace muster::ranks
