// The state of collectives, as lines for people.
#pragma once

#include "core/dump/collectives.hpp"

#include <cstddef>
#include <string>

namespace muster::dump {

// Which ranks are missing in it, and which wait. `columns`: the room for each list of ranks.
std::string collective_line(const Collective& collective, std::size_t columns);

// A line for each group of a rank; empty where its recorder has said nothing.
std::string progress_lines(const ProcessLook& look);

}  // namespace muster::dump
