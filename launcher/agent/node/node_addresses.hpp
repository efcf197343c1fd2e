// The addresses at which the node of rank 0 can be reached, from its interfaces. Pure.
#pragma once

#include "launcher/os/interfaces.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::node {

using Addresses = std::vector<asio::ip::address>;

inline constexpr std::size_t max_node_addresses = 16;

// The addresses of rank 0's node.
struct NodeAddresses {
  Addresses ranks;      // where the ranks may rendezvous, best first
  bool chosen = false;  // fixed by network=: no other address may be used
  Addresses all;        // where the other agents may find this one, best first
};

// `known`: the address at which Slurm knows this node, if it could be resolved.
NodeAddresses node_addresses(const std::vector<os::Interface>& interfaces,
                             const std::vector<std::string>& patterns,
                             const std::optional<asio::ip::address>& known);

}  // namespace muster::node
