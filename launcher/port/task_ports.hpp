// A port for every task of the step, held free on its node, and everybody's address and port: for
// frameworks whose ranks all serve (TensorFlow). Exchanged through the supervisor.
#pragma once

#include "core/layout/layout.hpp"
#include "core/plan/plan.hpp"
#include "core/profile/profile.hpp"
#include "launcher/port/held_port.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::port {

// Whether the profile names a placeholder that needs them.
bool wants_endpoints(const profile::Profile& profile);

// As many ports as there are tasks, the first that can be had. Error where they do not suffice.
std::vector<HeldPort> hold_task_ports(const std::vector<rendezvous::Port>& candidates,
                                      std::size_t tasks, const std::string& node);

// "10.0.0.1 20002 20003": what a node tells the others.
std::string endpoints_text(const std::string& address, const std::vector<HeldPort>& ports);

// By rank, from one line of every node that has tasks, in the order of the layout's nodes. Error
// for lines that cannot have been written so.
std::vector<std::string> endpoints_by_rank(std::string_view lines, const layout::Layout& layout,
                                           option::Ranks ranks);

}  // namespace muster::port
