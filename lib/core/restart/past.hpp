// What is kept of an attempt that has ended, for the decision about the next.
#pragma once

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

struct Past {
  std::uint32_t number = 0;  // of the attempt: 0, 1, ...
  report::Result result = report::Result::failed;
  std::optional<report::Cause> cause;
  std::int32_t exit_code = 0;       // the first failure's
  std::string first_node;           // where it failed first, or the lost node; empty where unknown
  Time launched{0};                 // srun's start
  std::optional<Time> first_start;  // of a rank; nothing where none has started
  Time failed{0};                   // the first failure
  Time over{0};                     // nothing of it was waited for any longer
  // What the user's progress file held at its end, and nothing of a file that is not there; no value
  // where the user has named no file.
  std::optional<std::string> progress;
  bool port_taken = false;  // a rank found its port taken when it began

  friend bool operator==(const Past&, const Past&) = default;
};

// Of the last attempt of `report`.
Past past_of(const report::Report& report, std::optional<std::string> progress);

}  // namespace muster::restart
