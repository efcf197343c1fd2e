// Whether the user asked srun to bind the tasks to CPUs or memory. Slurm's variables alone do not tell: each
// task has some that describe its own binding, and sbatch passes these on to a job that the task submits.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <string>
#include <vector>

namespace muster::srun {

// The variables that describe the binding of a task that started this srun or submitted its job. srun would
// take SLURM_CPU_BIND and SLURM_MEM_BIND for options, but their masks fit no other step. Leaves out either of
// these two if the user has exported another value.
std::vector<std::string> inherited_binding(const Environment& environment);

// True for --cpu-bind and for a SLURM_CPU_BIND that was not inherited. False if srun derives a binding from
// other options: --hint, --threads-per-core, --extra-node-info, --ntasks-per-core, --ntasks-per-socket.
bool chose_cpu_bind(const Environment& environment, const Command& command);

}  // namespace muster::srun
