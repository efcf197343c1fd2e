// What a run cost, as one line. Pure.
#pragma once

#include "core/cost/account.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::cost {

// Why time was lost: "start", "queue", ... The names are those of the metrics.
struct Part {
  std::string_view cause;
  Time time{0};
};

// Everything in `wall` but effective(). Without the parts that are unknown.
std::vector<Part> lost_parts(const Account& account);

// "all ranks ran 85.3 % of 40.1 s; start 3.0 s, detection 1.0 s, stop 300 ms, pauses 2.1 s". If the program
// shows its progress: "trained 79.0 % of 40.1 s; lost work 2.0 s, program start 500 ms, start 3.0 s, ...".
std::string to_text(const Account& account);

}  // namespace muster::cost
