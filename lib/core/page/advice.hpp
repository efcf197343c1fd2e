// What the user should do next, in a sentence or two.
#pragma once

#include "core/page/run.hpp"

#include <string>

namespace muster::page {

// The result contains text that others control, so it must be escaped.
std::string advice(const Run& run);

}  // namespace muster::page
