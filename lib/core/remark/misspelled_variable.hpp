// An exported MUSTER_RESTART: nothing reads it, so the user's choice is lost without a word.
#pragma once

#include "core/environment.hpp"

#include <string>

namespace muster::remark {

// Names the first variable that is nearly one of muster's, and that one; empty if there is none.
std::string misspelled_variable(const Environment& environment);

}  // namespace muster::remark
