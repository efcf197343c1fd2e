#include "launcher/agent/node/network.hpp"

#include "core/error.hpp"
#include "core/option/conversion.hpp"
#include "core/option/keys.hpp"
#include "core/request/request.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::node {

std::optional<os::Interface> chosen_interface(const std::vector<os::Interface>& interfaces,
                                              const request::Request& request,
                                              const std::string& node) {
  if (request.network.empty()) return std::nullopt;
  const auto chosen = matching(interfaces, request.network);
  if (chosen) return chosen;
  throw Error(fmt::format("{} has no interface that is up and matches network={}; it has {}", node,
                          value_of(request, option::Key("network")), names_of(interfaces)));
}

plan::NodeNetwork node_network(const std::vector<os::Interface>& interfaces,
                               const request::Request& request,
                               const std::optional<os::Interface>& chosen,
                               const asio::ip::address& master, bool is_host) {
  auto interface =
      is_host ? interface_with(interfaces, master) : interface_towards(interfaces, master);
  // If network= matches several interfaces, takes the kernel's choice; each node uses its own name for it.
  const bool named = std::ranges::any_of(all_matching(interfaces, request.network),
                                         [&](const auto& each) { return each.name == interface; });
  if (chosen && !named) interface = chosen->name;
  const auto own = std::ranges::find_if(interfaces, [&](const os::Interface& each) {
    return each.name == interface && each.address.is_v4() == master.is_v4();
  });
  return {interface, own == interfaces.end() ? std::string() : own->address.to_string()};
}

}  // namespace muster::node
