// Detects a variable such as MUSTER_RESTART: nothing reads it, so the user's choice would be lost silently.
#pragma once

#include "core/environment.hpp"

#include <string>

namespace muster::remark {

// Names the first variable that is almost one of muster's, and the one that is probably meant; empty if
// there is none.
std::string misspelled_variable(const Environment& environment);

}  // namespace muster::remark
