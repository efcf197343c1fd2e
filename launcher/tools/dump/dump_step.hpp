// The short step of muster's own in which the nodes of a step look at its ranks. Whoever is the job's
// user may take a dump: the command, and a supervisor that suspects a hang.
#pragma once

#include "core/dump/groups.hpp"
#include "core/environment.hpp"
#include "launcher/tools/dump/running_step.hpp"

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace muster::dump {

struct DumpOrder {
  RunningStep step;
  std::set<std::uint32_t> ranks = {};  // empty: all
  bool native =
      false;  // frames of C and C++ for one rank of each group, which is stopped meanwhile
  bool by_signal = false;
  std::chrono::milliseconds timeout{10'000};
  std::string srun = "srun";
  std::string program = {};  // muster, on every node
  int interrupt = -1;  // a descriptor: once it is readable, nobody waits for the dump any more
};

// The command of that step. Pure.
std::vector<std::string> dump_command(const DumpOrder& order, const Environment& environment);

// Asks all nodes at once. A node that does not answer in time costs its own ranks only. Throws Error,
// with Slurm's word, where none does.
Dump take_dump(const DumpOrder& order, const Environment& environment);

}  // namespace muster::dump
