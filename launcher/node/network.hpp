// Which interfaces of this node a framework should use, once it is known where the ranks meet.
#pragma once

#include "core/plan/plan.hpp"
#include "core/request/request.hpp"
#include "launcher/os/interfaces.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

// The first that network= names; nothing where it is not said. Error where none is up.
std::optional<Interface> chosen_interface(const std::vector<Interface>& interfaces,
                                          const Request& request, const std::string& node);

// `chosen` from chosen_interface; `is_host`: the ranks meet on this node.
NodeNetwork node_network(const std::vector<Interface>& interfaces, const Request& request,
                         const std::optional<Interface>& chosen, const asio::ip::address& master,
                         bool is_host);

}  // namespace muster::agent
