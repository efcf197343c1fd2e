// The results of the preflights before the attempts, for the report. Values only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::report {

struct PreflightProblem {
  std::string node;
  std::string verdict;  // "slow", "failing", "warning" or "no_answer"
  std::string what;     // what was measured, and the median of others
  std::string action;   // what became of the node: "replaced", "left_out", "used"

  friend bool operator==(const PreflightProblem&, const PreflightProblem&) = default;
};

// One preflight, before the attempt with that number.
struct PreflightRun {
  std::uint32_t attempt = 0;
  std::chrono::nanoseconds duration{0};
  std::uint32_t nodes = 0;  // that were asked
  std::uint32_t rounds = 0;
  double latency_us = 0;       // the median of all tests; 0 if there was none
  double bandwidth = 0;        // likewise, bytes in a second
  double nccl_latency_us = 0;  // likewise, of an all-reduce of NCCL between two nodes
  double nccl_bandwidth = 0;
  std::vector<PreflightProblem> problems = {};
  std::string failure = {};  // why it did not take place; empty if it did

  friend bool operator==(const PreflightRun&, const PreflightRun&) = default;
};

}  // namespace muster::report
