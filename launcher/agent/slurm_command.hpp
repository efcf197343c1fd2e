// Slurm's commands as an agent may start them. An agent may outlive the processes that Slurm ends, so it must
// not start any of its user's programs.
#pragma once

#include "core/environment.hpp"
#include "core/file/trusted_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

// Searches the job's PATH and the usual places. The file and all its directories must be root's, unless any
// owner is trusted.
std::optional<std::filesystem::path> find_slurm_command(const std::string& name,
                                                        const Environment& environment,
                                                        const file::Trust& trust);

// NAME=VALUE. Of the job's variables this includes only SLURM_CONF, and only if that file can be trusted in
// the same way.
std::vector<std::string> slurm_environment(const Environment& environment,
                                           const file::Trust& trust);

}  // namespace muster::agent
