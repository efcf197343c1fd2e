// This node's network: which interfaces it has, and which of them leads where.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <asio/ip/address.hpp>

namespace muster::os {

struct Interface {
  std::string name;
  asio::ip::address address;
};

// Every IPv4 and IPv6 address of an interface that is up, in the kernel's order. Leaves out link-local IPv6
// addresses, which no other node can use without a scope.
std::vector<Interface> interfaces();

// The names of all interfaces, including those that are down or have no address.
std::vector<std::string> interface_names();

// The interface that has this address; empty if none has it.
std::string interface_with(const std::vector<Interface>& all, const asio::ip::address& address);

// This node's address in packets to this address; no value if there is no route.
std::optional<asio::ip::address> source_towards(const asio::ip::address& address);

// The interface by which packets to this address leave; empty if there is no route.
std::string interface_towards(const std::vector<Interface>& all, const asio::ip::address& address);

// The first interface whose name matches the first of these shell patterns that matches any; IPv4
// before IPv6 on one interface.
std::optional<Interface> matching(const std::vector<Interface>& all,
                                  const std::vector<std::string>& patterns);

// All that match, in the order of the patterns; IPv4 before IPv6 on one interface.
std::vector<Interface> all_matching(const std::vector<Interface>& all,
                                    const std::vector<std::string>& patterns);

// "eth0, lo" for messages.
std::string names_of(const std::vector<Interface>& all);

// Numeric text is converted immediately; a name goes to the system's resolver, on which it gives up after
// `timeout`. Throws Error.
asio::ip::address resolve(const std::string& name, std::chrono::milliseconds timeout);

}  // namespace muster::os
