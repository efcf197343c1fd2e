// Slurm's own functions for plugins, with the behaviour that the test wants: for spank_handle.cpp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::spank {

struct MadeUpSpank {
  uid_t uid = 1000;
  gid_t gid = 1001;
  std::set<int> missing;           // items that Slurm does not have
  std::vector<std::string> lines;  // of the log and the user's terminal
};

// Resets and returns the one that the functions use.
MadeUpSpank& made_up_spank();

}  // namespace muster::spank
