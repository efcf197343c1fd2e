// Nodes whose agent never came to the supervisor, such as behind a firewall: the step runs as it would,
// and what fails there is not reported by name. Pure.
#pragma once

#include "core/report/record.hpp"
#include "launcher/channel/address.hpp"

#include <string>
#include <vector>

namespace muster::supervision {

// Gives the silent nodes of the record their names, if the step has run long enough that their agents
// could have come. `nodes`: of the step, by index.
void name_silent_nodes(report::Record& record, const std::vector<std::string>& nodes);

// The line for the user; empty where no silent node has a name.
std::string unreached_text(const report::Record& record, const std::string& host,
                           const channel::Address& channel);

}  // namespace muster::supervision
