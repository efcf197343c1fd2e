// Slurm's commands as an agent may start them. It may outlive what Slurm ends, so it starts no program of
// its user's.
#pragma once

#include "core/environment.hpp"
#include "core/file/trusted_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

// Looked for on the job's PATH and in the usual places; must be root's with all its directories, unless
// any owner is trusted.
std::optional<std::filesystem::path> find_slurm_command(const std::string& name,
                                                        const Environment& environment,
                                                        const file::Trust& trust);

// NAME=VALUE. Of the job's variables only SLURM_CONF, if that file can be trusted likewise.
std::vector<std::string> slurm_environment(const Environment& environment,
                                           const file::Trust& trust);

}  // namespace muster::agent
