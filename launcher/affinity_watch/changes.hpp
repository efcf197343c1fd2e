// Whether the tasks of a node still run where they were bound. Pure: what was planned and what
// /proc shows go in, lines for the user come out, each change once.
//
// Fewer CPUs than planned are no rebinding: threads and workers that a program pins inside its
// task's CPUs are its own business.
#pragma once

#include "core/cpuset.hpp"
#include "core/layout/layout.hpp"
#include "core/plan/plan.hpp"
#include "launcher/affinity_watch/processes.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::affinity_watch {

class AffinityChanges {
 public:
  // `arguments`: the step's program and its own.
  AffinityChanges(const plan::NodePlan& plan, std::vector<std::string> arguments);

  // No task that could be bound again.
  [[nodiscard]] bool idle() const { return tasks_.empty(); }

  // The kernel has not bound this one in the first place.
  void forget(std::uint32_t local_id);

  // A line for each task and each set of CPUs that this sees for the first time.
  std::vector<std::string> new_lines(const std::vector<TaskProcess>& processes);

 private:
  struct Task {
    std::uint32_t rank = 0;
    std::uint32_t local_id = 0;
    CpuSet cpus;
    std::set<CpuSet> told = {};
  };
  using Processes = std::map<pid_t, const TaskProcess*>;

  [[nodiscard]] std::string line(const Task& task, const TaskProcess& process,
                                 const Processes& all) const;
  [[nodiscard]] std::string cause(const TaskProcess& process, const Processes& all) const;

  std::string node_;
  std::vector<std::string> arguments_;
  std::map<layout::ProcId, Task> tasks_;
};

}  // namespace muster::affinity_watch
