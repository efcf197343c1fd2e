// The state of collectives, as lines for people.
#pragma once

#include "core/dump/collectives.hpp"

#include <cstddef>
#include <string>

namespace muster::dump {

// Which ranks are missing from it, and which are waiting in it. `columns`: the space for each list of ranks.
std::string collective_line(const Collective& collective, std::size_t columns);

// One line for each of a rank's groups; empty if its recorder reported nothing.
std::string progress_lines(const ProcessLook& look);

}  // namespace muster::dump
