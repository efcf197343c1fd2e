#include "launcher/agent/node/node_addresses.hpp"

#include "core/contains.hpp"

namespace muster::node {
namespace {

void add(Addresses& all, const asio::ip::address& address) {
  if (all.size() < max_node_addresses && !contains(all, address)) all.push_back(address);
}

// Includes loopback only if a node has nothing else, because no other node can use it.
Addresses useful(const std::vector<os::Interface>& interfaces) {
  Addresses found;
  for (const bool loopback : {false, true}) {
    for (const auto& each : interfaces) {
      if (each.address.is_loopback() == loopback) add(found, each.address);
    }
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace

NodeAddresses node_addresses(const std::vector<os::Interface>& interfaces,
                             const std::vector<std::string>& patterns,
                             const std::optional<asio::ip::address>& known) {
  NodeAddresses addresses;
  for (const auto& each : all_matching(interfaces, patterns)) add(addresses.ranks, each.address);
  addresses.chosen = !addresses.ranks.empty();
  if (addresses.chosen) addresses.all = addresses.ranks;
  // NodeAddr may not be an address of this node: its name may resolve to 127.0.1.1 here.
  if (known && !known->is_loopback() && !interface_with(interfaces, *known).empty()) {
    add(addresses.all, *known);
  }
  for (const auto& address : useful(interfaces)) add(addresses.all, address);
  if (!addresses.chosen) addresses.ranks = addresses.all;
  return addresses;
}

}  // namespace muster::node
