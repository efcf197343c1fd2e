// The addresses by which the node of rank 0 can be reached, from what interfaces it has. Pure.
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
  Addresses ranks;      // where the ranks may meet, the best first
  bool chosen = false;  // by network=: no other will do
  Addresses all;        // where the other agents may find this one, the best first
};

// `known`: where Slurm says that this node is, if that could be resolved.
NodeAddresses node_addresses(const std::vector<os::Interface>& interfaces,
                             const std::vector<std::string>& patterns,
                             const std::optional<asio::ip::address>& known);

}  // namespace muster::node
