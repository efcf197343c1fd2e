// A run as one self-contained HTML page, without scripts, fonts or pictures from elsewhere. It is also
// well-formed XML.
#pragma once

#include "core/page/run.hpp"

#include <string>

namespace muster::page {

// `run` must have at least one folder.
std::string to_html(const Run& run);

}  // namespace muster::page
