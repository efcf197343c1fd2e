// Who may write the programs and files of a node's Slurm. Whoever can replace slurmstepd, which root runs, can
// do anything on the node, so they may own Slurm's commands as well: some sites give all of Slurm to the user
// `slurm`. Everybody else could make an agent start a program in place of Slurm's.
#pragma once

#include "core/file/trusted_file.hpp"

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

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

}  // namespace muster::agent
