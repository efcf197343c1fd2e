// The results of the preflights before the attempts, for the report. Plain data.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::report {

struct PreflightProblem {
  std::string node;
  std::string verdict;  // "slow", "failing", "warning" or "no_answer"
  std::string what;     // what was measured, and the median of the other nodes
  std::string action;   // what happened to the node: "replaced", "left_out", "used"

  friend bool operator==(const PreflightProblem&, const PreflightProblem&) = default;
};

// One preflight, before the attempt with that number.
struct PreflightRun {
  std::uint32_t attempt = 0;
  std::chrono::nanoseconds duration{0};
  std::uint32_t nodes = 0;  // nodes that were asked
  std::uint32_t rounds = 0;
  double latency_us = 0;       // median over all tests; 0 if there was none
  double bandwidth = 0;        // likewise, bytes per second
  double nccl_latency_us = 0;  // likewise, for an NCCL all-reduce between two nodes
  double nccl_bandwidth = 0;
  std::vector<PreflightProblem> problems = {};
  std::string failure = {};  // why the preflight did not take place; empty if it did

  friend bool operator==(const PreflightRun&, const PreflightRun&) = default;
};

}  // namespace muster::report
