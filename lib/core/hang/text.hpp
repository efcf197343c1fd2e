// A hang in words: who probably holds the others up, by a dump. Pure.
#pragma once

#include "core/dump/groups.hpp"
#include "core/option/value_types.hpp"

#include <chrono>
#include <string>

namespace muster::hang {

// One line; empty where all ranks are in the same place, or nothing is known.
std::string suspects(const dump::Dump& dump);

// The node of the first of them; empty where there is none.
std::string suspected_node(const dump::Dump& dump);

// "hang=10: nothing has moved for 10.2 min (since 20:14:03 UTC): rank 12 on node1: stopped ...".
// `found`: suspects(), or why there is no dump.
std::string line(const option::Hang& rule, std::chrono::nanoseconds silence,
                 std::chrono::system_clock::time_point now, const std::string& found);

}  // namespace muster::hang
