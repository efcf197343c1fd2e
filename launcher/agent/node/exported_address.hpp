// Where the addresses lead that the user exported for the rendezvous, as seen from rank 0's node. Pure.
#pragma once

#include "core/rendezvous/exported_address.hpp"
#include "launcher/os/interfaces.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::node {

// The address of a name, or of its numeric text; no value if it cannot be resolved.
using Resolve = std::function<std::optional<asio::ip::address>(const std::string& name)>;

// `host`: a name or an address. `node`: this node's name in Slurm, which needs no lookup: it may resolve to
// loopback here and to the right address elsewhere.
rendezvous::Leads leads_of(const std::string& host, const std::string& node,
                           const std::vector<os::Interface>& interfaces, const Resolve& resolve);

}  // namespace muster::node
