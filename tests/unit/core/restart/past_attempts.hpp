// Attempts with a course that the test chooses.
#pragma once

#include "core/restart/past.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace muster::restart {

using namespace std::chrono_literals;

// Starts a minute after the previous one. Its ranks started a second after the launch, and a rank failed
// after running for `ran`.
inline Past& add_attempt(std::vector<Past>& past, Time ran) {
  Past attempt;
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
