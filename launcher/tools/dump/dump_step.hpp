// The short step of muster's own in which the nodes of a step look at its ranks. The job's user may take a
// dump: by the command, or by a supervisor that suspects a hang.
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
  int interrupt = -1;        // a descriptor that ends the wait once it is readable
};

// The command of that step. Pure.
std::vector<std::string> dump_command(const DumpOrder& order, const Environment& environment);

// Asks all nodes at once. A node that does not answer in time costs only its own ranks. Throws Error, with
// srun's first line, if none answers.
Dump take_dump(const DumpOrder& order, const Environment& environment);

}  // namespace muster::dump
