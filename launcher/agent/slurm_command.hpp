// Slurm's commands as an agent may start them. An agent may outlive the processes that Slurm ends, so it must
// not start any of its user's programs.
#pragma once

#include "core/environment.hpp"
#include "launcher/agent/slurm_owners.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::agent {

struct FoundCommand {
  std::filesystem::path path;  // empty if there is none that may be used
  std::string why;             // then: why, as a clause
};

// Searches the job's PATH and the usual places. Only Slurm's owners may be able to replace the file or any of
// its directories.
FoundCommand find_slurm_command(const std::string& name, const Environment& environment,
                                const SlurmOwners& owners);

// NAME=VALUE. Of the job's variables this includes only SLURM_CONF, and only if that file can be trusted in
// the same way.
std::vector<std::string> slurm_environment(const Environment& environment,
                                           const SlurmOwners& owners);

}  // namespace muster::agent
