// Attempts with a course that the test chooses.
#pragma once

#include "core/restart/attempt_history.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace muster::restart {

using namespace std::chrono_literals;

// A minute after the one before; its ranks started a second after the launch, and a rank failed when
// they had run for so long.
inline AttemptHistory& add_attempt(std::vector<AttemptHistory>& past, Time ran) {
  AttemptHistory attempt;
  attempt.number = static_cast<std::uint32_t>(past.size());
  attempt.cause = report::Cause::program;
  attempt.exit_code = 1;
  attempt.launched = past.empty() ? Time(0) : past.back().over + 1min;
  attempt.first_start = attempt.launched + 1s;
  attempt.failed = *attempt.first_start + ran;
  attempt.over = attempt.failed + 1s;
  return past.emplace_back(attempt);
}

}  // namespace muster::restart
