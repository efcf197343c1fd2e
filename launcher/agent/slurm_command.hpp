// Slurm's commands as an agent may start them. An agent may outlive the processes that Slurm ends, so it must
// not start any of its user's programs. Whoever can replace slurmstepd, which root runs, can do anything on
// the node, so they may own Slurm's commands as well: some sites give all of Slurm to the user `slurm`.
#pragma once

#include "core/environment.hpp"

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::file {
struct Trust;
}

namespace muster::agent {

// A file, or a directory on the path to it.
struct PathPart {
  std::filesystem::path path;
  uid_t owner = 0;
  gid_t group = 0;
  mode_t mode = 0;
};

struct SlurmOwners {
  std::set<uid_t> users{0};
  std::set<gid_t> groups = {};  // may write what belongs to one of the users
  bool anybody = false;         // tests, a checkout
};

// From the file up to the root directory. Empty if one of them cannot be examined.
std::vector<PathPart> parts_of(const std::filesystem::path& file);

// Root, and those who may replace slurmstepd. Pure.
SlurmOwners owners_by(std::span<const PathPart> slurmstepd);

// Likewise, unless `trust` admits anybody. `slurmstepd`: the path of the one that runs; may be empty.
SlurmOwners slurm_owners(const file::Trust& trust, const std::filesystem::path& slurmstepd);

// Why the file at the end of these parts is not used, as a clause; empty if it may be used. Pure.
std::string objection_to(std::span<const PathPart> parts, const SlurmOwners& owners);

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
