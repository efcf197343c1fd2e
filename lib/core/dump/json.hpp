// A dump for programs: version 1 of its format.
#pragma once

#include "core/dump/groups.hpp"

#include <string>

namespace muster::dump {

// {"version": 1, "step", "time", "ranks_of_step", "groups": [...], "children": [...], "remarks": [...],
//  "processes": [...]}, as docs/reference/json.md describes it.
std::string to_json(const Dump& dump);

}  // namespace muster::dump
