// Cases in which a stack alone says what a rank waits for, and the user can do something about it. Pure.
#pragma once

#include "core/dump/groups.hpp"

#include <string>

namespace muster::hang {

// What the ranks wait for, and what to do; one line, or empty if the stacks do not say.
std::string hint(const dump::Dump& dump);

}  // namespace muster::hang
