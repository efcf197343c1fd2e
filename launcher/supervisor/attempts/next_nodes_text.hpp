// What the user is told of the next attempt's nodes. Pure.
#pragma once

#include "core/report/record.hpp"
#include "core/restart/nodes.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace muster::attempts {

// Why nothing can follow where the allocation's other nodes are not known; empty if none is lost.
std::string lost_where_nodes_are_unknown(const report::Record& record);

// Why nothing can follow where fewer than `needed` nodes can be used.
std::string too_few(std::span<const restart::Candidate> candidates, std::uint32_t needed);

// " on the same nodes", or how many, without and with whom.
std::string changes(const restart::Choice& choice);

}  // namespace muster::attempts
