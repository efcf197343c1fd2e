// Which interface and address of this node a framework should use, once it is known where the ranks
// rendezvous.
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

struct NetworkFacts {
  std::vector<os::Interface> interfaces;
  std::vector<std::string> names;  // of all interfaces, including those without an address
  asio::ip::address master;        // where the ranks rendezvous
  // This node's address in connections to that one: the same on its own node. No value without a route.
  std::optional<asio::ip::address> own;
};

// `is_host`: the ranks rendezvous on this node.
NetworkFacts network_facts(const std::vector<os::Interface>& interfaces,
                           const asio::ip::address& master, bool is_host);

// Pure. `chosen`: from chosen_interface().
plan::NodeNetwork node_network(const NetworkFacts& facts, const request::Request& request,
                               const std::optional<os::Interface>& chosen);

}  // namespace muster::node
