// A free port held for every task of the step on its node, and all ranks' addresses and ports: for
// frameworks whose ranks all serve (TensorFlow). Exchanged through the supervisor.
#pragma once

#include "core/option/value_types.hpp"
#include "launcher/agent/port/held_port.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::layout {
struct Layout;
}

namespace muster::profile {
struct Profile;
}

namespace muster::port {

// True if the profile names a placeholder that needs them.
bool wants_endpoints(const profile::Profile& profile);

// As many ports as there are tasks, the first that can be had. Throws Error if there are too few.
std::vector<HeldPort> hold_task_ports(const std::vector<rendezvous::Port>& candidates,
                                      std::size_t tasks, const std::string& node);

// "10.0.0.1 20002 20003": a node's line for the others.
std::string endpoints_text(const std::string& address, const std::vector<HeldPort>& ports);

// By rank, from one line of every node that has tasks, in the order of the layout's nodes. Throws
// Error for malformed lines.
std::vector<std::string> endpoints_by_rank(std::string_view lines, const layout::Layout& layout,
                                           option::Ranks ranks);

}  // namespace muster::port
