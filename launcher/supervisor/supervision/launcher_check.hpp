// Who starts the ranks: srun, or a launcher that is the program, that is missing, or that a batch
// script uses instead.
#pragma once

#include "core/environment.hpp"
#include "core/profile/profile.hpp"
#include "core/srun/command.hpp"

#include <span>
#include <string>

namespace muster::supervision {

// The error for a program of an srun that would start whole trainings in its tasks.
std::string launcher_fault(const srun::Command& srun);

// A remark about an srun's program; empty unless it is certain.
std::string launcher_remark(const srun::Command& srun, const profile::Profile& profile);

// A remark about an srun by which mpirun or mpiexec starts its daemons: they are no ranks, and muster leaves
// that srun alone. Empty for every other program.
std::string mpi_daemon_remark(const srun::Command& srun);

// sbatch or salloc, by its name.
bool is_submission(const srun::Command& command);

// Likewise about the script, or --wrap, of an sbatch and the command of an salloc whose own option asks for
// muster.
std::string submission_remark(const srun::Command& submission, const profile::Profile& profile);

// The error for salloc's command that is meant as the option's value.
std::string command_fault(const srun::Command& salloc, const Environment& environment,
                          std::span<const std::string> profiles);

}  // namespace muster::supervision
