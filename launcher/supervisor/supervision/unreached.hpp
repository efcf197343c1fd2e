// Nodes whose agent never reached the supervisor, for example because of a firewall. The step runs
// nevertheless, but failures on these nodes cannot be reported in detail. Pure.
#pragma once

#include "core/report/record.hpp"
#include "launcher/channel/address.hpp"

#include <string>
#include <vector>

namespace muster::supervision {

// Gives the record's silent nodes their names if the step has run long enough for their agents to have
// connected. `nodes`: the step's, by index.
void name_silent_nodes(report::Record& record, const std::vector<std::string>& nodes);

// The line for the user; empty if no silent node has a name.
std::string unreached_text(const report::Record& record, const std::string& host,
                           const channel::Address& channel);

}  // namespace muster::supervision
