// The short step in which the nodes of a step examine its ranks. It is run by the job's user, with the
// command, or by a supervisor that suspects a hang.
#pragma once

#include "core/dump/groups.hpp"
#include "core/dump/ways.hpp"
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
  bool native = false;  // C/C++ frames for one rank of each group, which is paused during that time
  SignalUse signal = SignalUse::careful;
  std::chrono::milliseconds timeout{10'000};
  std::string srun = "srun";
  std::string program = {};  // the path of muster, the same on every node
  int interrupt = -1;        // a descriptor that ends the wait once it is readable
};

// The command of that step. Pure.
std::vector<std::string> dump_command(const DumpOrder& order, const Environment& environment);

// Asks all nodes at once. A node that does not answer in time costs only its own ranks. Throws an Error that
// contains srun's first line if none answers.
Dump take_dump(const DumpOrder& order, const Environment& environment);

}  // namespace muster::dump
