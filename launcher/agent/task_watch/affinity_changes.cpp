#include "launcher/agent/task_watch/affinity_changes.hpp"

#include "core/text/quote.hpp"
#include "launcher/agent/task_watch/binding_tools.hpp"

#include <utility>

#include <fmt/format.h>

namespace muster::task_watch {
namespace {

// A task all of whose workers move themselves is one finding, not hundreds.
constexpr std::size_t max_lines_of_task = 3;

}  // namespace

AffinityChanges::AffinityChanges(const plan::NodePlan& plan, std::vector<std::string> arguments)
    : node_(plan.node), arguments_(std::move(arguments)) {
  for (const auto& task : plan.tasks) {
    if (task.resources.cpus.empty()) continue;
    tasks_.emplace(task.procid, Task{task.rank, task.index, task.resources.cpus});
  }
}

void AffinityChanges::forget(std::uint32_t local_id) {
  std::erase_if(tasks_, [&](const auto& task) { return task.second.local_id == local_id; });
}

std::vector<std::string> AffinityChanges::new_lines(const std::vector<TaskProcess>& processes) {
  Processes all;
  for (const auto& process : processes) all.emplace(process.pid, &process);
  std::vector<std::string> lines;
  for (const auto& process : processes) {
    const auto found = tasks_.find(process.procid);
    if (found == tasks_.end()) continue;
    auto& task = found->second;
    if (task.cpus.includes(process.cpus) || task.reported.size() == max_lines_of_task) continue;
    if (task.reported.insert(process.cpus).second) lines.push_back(line(task, process, all));
  }
  return lines;
}

std::string AffinityChanges::line(const Task& task, const TaskProcess& process,
                                  const Processes& all) const {
  return fmt::format(
      "rank {} on {} ({}, pid {}) now runs on CPUs {}, although muster bound it "
      "to {}: {}",
      task.rank, node_, text::printable(process.name), process.pid, process.cpus.to_string(),
      task.cpus.to_string(), cause(process, all));
}

// The tool that started this process is named before the tool that started the step.
std::string AffinityChanges::cause(const TaskProcess& process, const Processes& all) const {
  if (process.accelerate_binds) {
    return "it was bound again by accelerate; unset ACCELERATE_CPU_AFFINITY, or use bind=none";
  }
  const auto* at = &process;
  std::string_view tool;
  for (std::size_t steps = 0; tool.empty() && steps < all.size(); ++steps) {
    tool = binding_tool(at->arguments);
    const auto parent = all.find(at->parent);
    if (parent == all.end()) break;
    at = parent->second;
  }
  if (tool.empty()) tool = binding_tool(arguments_);
  if (tool.empty()) {
    return "it was bound again by the program itself, by a tool that it calls, or by another "
           "plugin whose line in plugstack.conf follows muster.so's; bind=none leaves the "
           "binding to them";
  }
  return fmt::format("it was bound again by {0}; leave {0} out, or use bind=none", tool);
}

}  // namespace muster::task_watch
