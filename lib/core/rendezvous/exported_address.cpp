#include "core/rendezvous/exported_address.hpp"

#include <algorithm>

namespace muster::rendezvous {

std::string host_of(const std::string& value) {
  if (value.starts_with('[')) return value.substr(1, value.find(']') - 1);
  // A numeric IPv6 address without brackets has several colons, and no port.
  if (std::ranges::count(value, ':') != 1) return value;
  return value.substr(0, value.find(':'));
}

bool is_right(const ExportedAddress& address, std::size_t nodes) {
  return address.leads == Leads::to_rank_0 || (address.leads == Leads::to_itself && nodes == 1);
}

bool replaces_exported(const std::vector<ExportedAddress>& exported, std::size_t nodes,
                       bool chosen_since) {
  return chosen_since && std::ranges::any_of(exported, [nodes](const auto& address) {
           return !is_right(address, nodes);
         });
}

}  // namespace muster::rendezvous
