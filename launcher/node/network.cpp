#include "launcher/node/network.hpp"

#include "core/error.hpp"
#include "core/option/conversion.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::agent {

std::optional<Interface> chosen_interface(const std::vector<Interface>& interfaces,
                                          const Request& request, const std::string& node) {
  if (request.network.empty()) return std::nullopt;
  const auto chosen = matching(interfaces, request.network);
  if (chosen) return chosen;
  throw Error(fmt::format("{} has no interface that is up and matches network={}; it has {}", node,
                          value_of(request, Key("network")), names_of(interfaces)));
}

NodeNetwork node_network(const std::vector<Interface>& interfaces, const Request& request,
                         const std::optional<Interface>& chosen, const asio::ip::address& master,
                         bool is_host) {
  auto interface =
      is_host ? interface_with(interfaces, master) : interface_towards(interfaces, master);
  // Of several that network= names, the kernel's choice; a name of its own on each node.
  const bool named = std::ranges::any_of(all_matching(interfaces, request.network),
                                         [&](const auto& each) { return each.name == interface; });
  if (chosen && !named) interface = chosen->name;
  const auto own = std::ranges::find_if(interfaces, [&](const Interface& each) {
    return each.name == interface && each.address.is_v4() == master.is_v4();
  });
  return {interface, own == interfaces.end() ? std::string() : own->address.to_string()};
}

}  // namespace muster::agent
