// What the user is told about the next attempt's nodes. Pure.
#pragma once

#include "core/report/record.hpp"
#include "core/restart/nodes.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace muster::restart {

// Why no attempt can follow if the allocation's other nodes are unknown; empty if no node is lost.
std::string lost_where_nodes_are_unknown(const report::Record& record);

// Why no attempt can follow if fewer than `needed` nodes can be used.
std::string too_few(std::span<const Candidate> candidates, std::uint32_t needed);

// " on the same nodes", or on how many, and which ones left or joined.
std::string changes(const Choice& choice);

}  // namespace muster::restart
