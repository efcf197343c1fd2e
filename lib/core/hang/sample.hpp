// A step as the supervisor sees it at one moment: plain data, for judge.hpp.
#pragma once

#include "core/status/status.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::hang {

struct NodeSample {
  std::string name;
  bool started = false;  // its tasks have started
  std::uint32_t ranks_up = 0;
  std::optional<status::Counts> counts = {};  // in the node's last report
};

struct Sample {
  std::chrono::nanoseconds time{0};  // by the supervisor's monotonic clock
  std::uint32_t ranks = 0;           // number of ranks in the step
  bool ending = false;               // the ranks have been told to exit
  // Bytes that srun has written so far, including the ranks' output; nullopt if that cannot be read.
  std::optional<std::int64_t> shown = {};
  std::vector<NodeSample> nodes = {};  // by node index
  // "5 of 6 ranks; missing: rank 3 on node2"; empty if nobody is known to be missing.
  std::string rendezvous = {};
};

// `step` includes its nodes' counts.
Sample sample_of(const status::Step& step, std::chrono::nanoseconds time,
                 std::optional<std::int64_t> shown);

}  // namespace muster::hang
