// The signals that can ask a program to stop, by name. All of them end a process that does not handle them,
// and none of them reports a fault: after a fault a program cannot stop properly.
#pragma once

#include "worker/environment.hpp"

#include <string_view>
#include <vector>

namespace muster::worker::stop {

// "USR1,TERM": names separated by commas, in either case, with or without SIG. An error's line begins with
// `source`. Throws Error (argument) for any other text, including an empty one.
std::vector<int> signals_named(std::string_view list, std::string_view source);

// The signals in MUSTER_STOP_SIGNALS; USR1 and TERM if that is not set. Throws Error as above.
std::vector<int> signals_of(const Environment& environment);

}  // namespace muster::worker::stop
