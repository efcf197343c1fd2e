#include "launcher/agent/node/exported_address.hpp"

namespace muster::node {

rendezvous::Leads leads_of(const std::string& host, const std::string& node,
                           const std::vector<os::Interface>& interfaces, const Resolve& resolve) {
  using rendezvous::Leads;
  if (host.substr(0, host.find('.')) == node) return Leads::to_rank_0;
  const auto address = resolve(host);
  if (!address) return Leads::nowhere;
  if (address->is_loopback()) return Leads::to_itself;
  return interface_with(interfaces, *address).empty() ? Leads::elsewhere : Leads::to_rank_0;
}

}  // namespace muster::node
