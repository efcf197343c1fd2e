// A run as one HTML page that needs nothing else: no script, no font, no picture from elsewhere. It is
// well-formed XML, too.
#pragma once

#include "core/page/run.hpp"

#include <string>

namespace muster::page {

// `run` has at least one folder.
std::string to_html(const Run& run);

}  // namespace muster::page
