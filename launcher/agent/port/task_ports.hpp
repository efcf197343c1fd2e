// Holds a free port on each node for every task of the step, and lists all ranks' addresses and ports, for
// frameworks in which every rank is a server (TensorFlow). The nodes exchange them through the supervisor.
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

// True if the profile contains a placeholder that needs them.
bool wants_endpoints(const profile::Profile& profile);

// Holds one port per task, the first ones that are free. Throws Error if there are too few.
std::vector<HeldPort> hold_task_ports(const std::vector<rendezvous::Port>& candidates,
                                      std::size_t tasks, const std::string& node);

// A node's line for the others.
std::string endpoints_text(const std::string& address, const std::vector<HeldPort>& ports);

// The endpoints by rank. `lines`: one from every node that has tasks, in the order of the layout's nodes.
// Throws Error if a line is malformed.
std::vector<std::string> endpoints_by_rank(std::string_view lines, const layout::Layout& layout,
                                           option::Ranks ranks);

}  // namespace muster::port
