#include "launcher/tools/dump/step_processes.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/agent/ranks/process_table.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace muster::dump {
namespace {

namespace fs = std::filesystem;

struct Entry {
  ranks::ProcessStat stat;
  std::optional<RankSign> sign;
};

std::vector<Entry> entries(const fs::path& proc, uid_t user) {
  std::vector<Entry> found;
  ranks::ProcessTable(proc).each_of(user, [&](const ranks::SeenProcess& process) {
    if (const auto stat = process.stat())
      found.push_back({*stat, rank_sign(process.environment())});
  });
  return found;
}

// The step's ranks on this node, by their tasks' processes. A task that has overwritten its own environment,
// as some do to set a title, is recognised by the environment of its children.
std::map<pid_t, std::uint32_t> tasks_of(const std::vector<Entry>& table, const std::string& step,
                                        const std::string& node) {
  std::map<pid_t, std::uint32_t> tasks;
  for (const auto& [stat, sign] : table) {
    if (!sign || sign->step != step) continue;
    if (!node.empty() && !sign->node.empty() && sign->node != node) continue;
    if (sign->task == stat.pid) {
      tasks[sign->task] = sign->rank;
    } else {
      tasks.emplace(sign->task, sign->rank);
    }
  }
  return tasks;
}

// The task to which each process belongs.
std::map<pid_t, pid_t> members_of(const std::vector<Entry>& table,
                                  const std::map<pid_t, std::uint32_t>& tasks,
                                  const std::string& step) {
  std::map<pid_t, pid_t> members;
  std::multimap<pid_t, pid_t> children;
  for (const auto& [stat, sign] : table) {
    children.emplace(stat.parent, stat.pid);
    if (tasks.contains(stat.pid)) members[stat.pid] = stat.pid;
    if (sign && sign->step == step && tasks.contains(sign->task)) members[stat.pid] = sign->task;
  }
  std::vector<pid_t> parents;
  for (const auto& [pid, task] : members) parents.push_back(pid);
  while (!parents.empty()) {
    const auto parent = parents.back();
    parents.pop_back();
    const auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child) {
      if (members.emplace(child->second, members[parent]).second) parents.push_back(child->second);
    }
  }
  return members;
}

}  // namespace

std::optional<RankSign> rank_sign(std::string_view environment) {
  constexpr std::array<std::string_view, 8> names{
      "SLURM_JOB_ID",    "SLURM_STEP_ID",        "SLURM_PROCID", "SLURM_TASK_PID",
      "SLURMD_NODENAME", wire::planned_variable, "RANK",         wire::task_variable};
  std::array<std::string_view, names.size()> values{};
  for (const auto entry : text::split(environment, '\0')) {
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const auto* const name = std::ranges::find(names, entry.substr(0, equals));
    if (name != names.end()) values[name - names.begin()] = entry.substr(equals + 1);
  }
  // For `muster run`, about which Slurm knows nothing.
  if (values[0].empty() && !values[5].empty()) {
    values[2] = values[6];
    values[3] = values[7];
  }
  const auto step =
      values[0].empty() ? std::string(values[5]) : fmt::format("{}.{}", values[0], values[1]);
  const bool planned = values[5] == step;
  auto rank = planned ? text::number<std::uint32_t>(values[6]) : std::nullopt;
  if (!rank) rank = text::number<std::uint32_t>(values[2]);
  const auto task = text::number<pid_t>(values[3]);
  if (!rank || !task || *task <= 1) return std::nullopt;
  return RankSign{.step = step, .node = std::string(values[4]), .rank = *rank, .task = *task};
}

std::map<std::string, std::uint32_t> steps_without_slurm(const fs::path& proc, uid_t user) {
  std::map<std::string, std::uint32_t> ranks;
  for (const auto& [stat, sign] : entries(proc, user)) {
    if (sign && sign->node.empty() && sign->task == stat.pid) ++ranks[sign->step];
  }
  return ranks;
}

std::vector<StepProcess> step_processes(const fs::path& proc, const std::string& step,
                                        const std::string& node, uid_t user) {
  const auto table = entries(proc, user);
  const auto tasks = tasks_of(table, step, node);
  const auto members = members_of(table, tasks, step);
  std::vector<StepProcess> found;
  for (const auto& [stat, sign] : table) {
    const auto member = members.find(stat.pid);
    if (member == members.end()) continue;
    const auto task = member->second;
    const bool parent_is_near = members.contains(stat.parent);
    found.push_back({.rank = tasks.at(task),
                     .stat = stat,
                     .parent = stat.pid == task ? 0 : (parent_is_near ? stat.parent : task)});
  }
  std::ranges::sort(found, {}, [](const StepProcess& process) {
    return std::tuple(process.rank, process.parent != 0, process.stat.pid);
  });
  std::map<std::uint32_t, std::size_t> counts;
  std::erase_if(found, [&](const StepProcess& process) {
    return ++counts[process.rank] > max_processes_of_rank;
  });
  return found;
}

}  // namespace muster::dump
