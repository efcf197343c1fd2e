// What to do next, in a sentence or two.
#pragma once

#include "core/page/run.hpp"

#include <string>

namespace muster::page {

// Text of any origin is in it.
std::string advice(const Run& run);

}  // namespace muster::page
