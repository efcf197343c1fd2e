// What starts the ranks: srun itself, or another launcher, which may be srun's program, be missing, or be
// used by a batch script instead of srun.
#pragma once

#include "core/environment.hpp"
#include "core/profile/profile.hpp"
#include "core/srun/command.hpp"

#include <span>
#include <string>

namespace muster::supervision {

// The error for a program that would start a whole training run in each of srun's tasks.
std::string launcher_fault(const srun::Command& srun);

// A remark about srun's program; empty unless the case is certain.
std::string launcher_remark(const srun::Command& srun, const profile::Profile& profile,
                            const Environment& environment);

// A remark about an srun with which mpirun or mpiexec starts its daemons. These are not ranks, so muster
// leaves that srun alone. Empty for every other program.
std::string mpi_daemon_remark(const srun::Command& srun);

// sbatch or salloc, judging by its name.
bool is_submission(const srun::Command& command);

// Likewise about the script or --wrap of an sbatch, and about the command of an salloc, if their own option
// requests muster.
std::string submission_remark(const srun::Command& submission, const profile::Profile& profile);

// The error if salloc's command was meant as the value of the option.
std::string command_fault(const srun::Command& salloc, const Environment& environment,
                          std::span<const std::string> profiles);

}  // namespace muster::supervision
