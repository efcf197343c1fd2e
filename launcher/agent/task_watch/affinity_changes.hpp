// Checks whether the tasks of a node still run where they were bound. Pure: compares the plan with what /proc
// shows, and returns lines for the user. Each change is reported once.
//
// Fewer CPUs than planned do not count as a change: a program may pin its threads and workers
// inside its task's CPUs.
#pragma once

#include "core/cpuset.hpp"
#include "core/layout/ids.hpp"
#include "core/plan/node_plan.hpp"
#include "launcher/agent/task_watch/processes.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::task_watch {

class AffinityChanges {
 public:
  // `arguments`: the step's program and its arguments.
  AffinityChanges(const plan::NodePlan& plan, std::vector<std::string> arguments);

  // True if there is no task that could have been moved.
  [[nodiscard]] bool idle() const { return tasks_.empty(); }

  // The kernel did not bind this task in the first place.
  void forget(std::uint32_t local_id);

  // One line for each task and each set of CPUs seen for the first time.
  std::vector<std::string> new_lines(const std::vector<TaskProcess>& processes);

 private:
  struct Task {
    std::uint32_t rank = 0;
    std::uint32_t local_id = 0;
    CpuSet cpus;
    std::set<CpuSet> reported = {};
  };
  using Processes = std::map<pid_t, const TaskProcess*>;

  [[nodiscard]] std::string line(const Task& task, const TaskProcess& process,
                                 const Processes& all) const;
  [[nodiscard]] std::string cause(const TaskProcess& process, const Processes& all) const;

  std::string node_;
  std::vector<std::string> arguments_;
  std::map<layout::ProcId, Task> tasks_;
};

}  // namespace muster::task_watch
