// What a task learns about itself and its step from Slurm's variables. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/layout/ids.hpp"
#include "core/rendezvous/port_candidates.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::exec {

struct TaskFacts {
  rendezvous::StepName step;
  layout::NodeIndex node_index = 0;
  std::string node_name;  // for messages; may be empty
  layout::ProcId procid = 0;
  std::uint32_t local_id = 0;
  std::vector<layout::ProcId> local_tasks;  // of this node, by local ID
};

// Throws Error if this process is not a task of a step.
TaskFacts task_facts(const Environment& environment);

// The environment without what muster has set for the task from which this step was started.
Environment without_inherited(Environment environment, const rendezvous::StepName& step);

// Whether muster has already prepared this step, through its plugin or a `muster exec` around this one.
bool is_planned(const Environment& environment, const rendezvous::StepName& step);

// True if the user chose --cpu-bind, as far as a task can see: srun's own choice looks like a list
// of masks.
bool user_bound_cpus(const Environment& environment);

}  // namespace muster::exec
