// One node's part of a dump: two looks, a moment apart, at each process of the step's ranks on this node.
// Runs as the user, in its own step inside the job, so Slurm ends it with the job.
#pragma once

#include "core/dump/message.hpp"
#include "core/dump/ways.hpp"
#include "core/environment.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>

namespace muster::dump {

struct NodeOrder {
  std::string step;  // "42.0"
  std::string node;
  std::set<std::uint32_t> ranks = {};  // empty: all
  bool native = false;                 // C/C++ frames, for which each rank is paused
  SignalUse signal = SignalUse::careful;
  std::chrono::milliseconds apart{1000};
  std::chrono::milliseconds tool_timeout{2000};
};

// Calls `emit` for everything seen, and finally once with NodeDone.
void dump_node(const NodeOrder& order, const Environment& environment,
               const std::function<void(const Message&)>& emit);

}  // namespace muster::dump
