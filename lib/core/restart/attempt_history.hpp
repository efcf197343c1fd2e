// What is kept about an attempt that has ended, for the decision about the next one.
#pragma once

#include "core/cost/attempt.hpp"
#include "core/report/verdict.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::report {
struct Report;
}

namespace muster::restart {

// Counted from the supervisor's start, over all attempts.
using Time = std::chrono::nanoseconds;

// A start-up error that the ranks of only one node had, in a step of several nodes.
struct LoneStartError {
  std::string node;
  std::string what;  // see start_error()

  friend bool operator==(const LoneStartError&, const LoneStartError&) = default;
};

struct AttemptHistory {
  std::uint32_t number = 0;  // the attempt's number: 0, 1, ...
  report::Result result = report::Result::failed;
  std::optional<report::Cause> cause;
  std::int32_t exit_code = 0;  // the first failure's exit code
  std::string first_node;      // the node of the first failure, or the lost node; empty if unknown
  Time launched{0};            // srun's start
  std::optional<Time> first_start;  // when the first rank started; no value if none has
  Time failed{0};                   // when the first failure happened
  Time over{0};                     // when muster stopped waiting for it
  // What the user's progress file held at the end of the attempt; empty if the file is missing. No value if
  // progress= is not used.
  std::optional<std::string> progress;
  bool port_taken = false;                 // a rank found its port taken when it started
  std::optional<cost::Attempt> cost = {};  // no value if nothing is known about it
  std::optional<LoneStartError> start_error = {};

  friend bool operator==(const AttemptHistory&, const AttemptHistory&) = default;
};

// For the last attempt of `report`. `marks`: when the program wrote its progress file.
AttemptHistory history_of(const report::Report& report, std::optional<std::string> progress,
                          cost::Progress marks = {});

}  // namespace muster::restart
