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

NetworkFacts network_facts(const std::vector<os::Interface>& interfaces,
                           const asio::ip::address& master, bool is_host) {
  return {.interfaces = interfaces,
          .names = os::interface_names(),
          .master = master,
          .own = is_host ? std::optional(master) : os::source_towards(master)};
}

plan::NodeNetwork node_network(const NetworkFacts& facts, const request::Request& request,
                               const std::optional<os::Interface>& chosen) {
  auto interface = facts.own ? interface_with(facts.interfaces, *facts.own) : std::string();
  // If network= matches several interfaces, takes the kernel's choice; each node uses its own name for it.
  const bool named = std::ranges::any_of(all_matching(facts.interfaces, request.network),
                                         [&](const auto& each) { return each.name == interface; });
  const bool overruled = chosen && !named;
  if (overruled) interface = chosen->name;
  if (interface.empty()) return {};
  const auto first = std::ranges::find_if(facts.interfaces, [&](const os::Interface& each) {
    return each.name == interface && each.address.is_v4() == facts.master.is_v4();
  });
  plan::NodeNetwork network{.interface = interface, .address = {}};
  network.is_prefix = std::ranges::any_of(facts.names, [&](const std::string& name) {
    return name != interface && name.starts_with(interface);
  });
  if (first == facts.interfaces.end()) return network;
  const auto& own = overruled ? first->address : *facts.own;
  network.address = own.to_string();
  // Who names the interface knows what it is for.
  network.has_other_first_address = !chosen && own != first->address;
  return network;
}

}  // namespace muster::node
