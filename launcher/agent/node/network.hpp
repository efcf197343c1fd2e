// Which interfaces of this node a framework should use, once it is known where the ranks rendezvous.
#pragma once

#include "core/plan/plan.hpp"
#include "launcher/os/interfaces.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::request {
struct Request;
}

namespace muster::node {

// The first interface that network= matches; no value if network= is not given. Throws Error if none is up.
std::optional<os::Interface> chosen_interface(const std::vector<os::Interface>& interfaces,
                                              const request::Request& request,
                                              const std::string& node);

// `chosen`: from chosen_interface(). `is_host`: the ranks rendezvous on this node.
plan::NodeNetwork node_network(const std::vector<os::Interface>& interfaces,
                               const request::Request& request,
                               const std::optional<os::Interface>& chosen,
                               const asio::ip::address& master, bool is_host);

}  // namespace muster::node
