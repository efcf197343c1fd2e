// What a run cost, as one line. Pure.
#pragma once

#include "core/cost/account.hpp"

#include <string>

namespace muster::cost {

// "all ranks ran 85.3 % of 40.1 s; start 3.0 s, detection 1.0 s, stop 300 ms, pauses 2.1 s". If the program
// shows its progress: "trained 79.0 % of 40.1 s; lost work 2.0 s, program start 500 ms, start 3.0 s, ...". If
// only its process group is known: "trained at most 84.1 % of 40.1 s; lost work at most 9.0 s, program start
// at least 500 ms, start 3.0 s, ...".
std::string to_text(const Account& account);

}  // namespace muster::cost
