// The address at which other ranks can reach this process, chosen by the rule described at muster_endpoint in
// muster.h. The decision is pure; its facts are read from this system, without any request over the network.
#pragma once

#include "worker/environment.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::worker {

// An interface that is up, once for each of its addresses.
struct Interface {
  std::string name;
  std::string address;  // numeric
  bool loopback = false;

  bool v6() const { return address.find(':') != std::string::npos; }
};

// Further facts for the decision, all about this node; empty if unknown.
struct AddressClues {
  std::string of_named_interface = {};         // if NCCL_SOCKET_IFNAME is a single plain name
  std::string towards_rank_0 = {};             // the source of packets to rank 0's address
  std::vector<std::string> of_node_name = {};  // from /etc/hosts, for the node's name
};

// In the kernel's order. Excludes link-local addresses, which are useless without a scope.
std::vector<Interface> interfaces();

// Tries in this order: the first address that NCCL_SOCKET_IFNAME or GLOO_SOCKET_IFNAME matches, the address
// from which packets to rank 0 leave, the address of the node's name, the first address that is not
// loopback, "127.0.0.1". Prefers IPv4 unless rank 0 is reached by IPv6. `all` returns interfaces(): it is a
// function because asking the kernel costs more than all the rest and is seldom needed.
std::string choose_address(const std::function<std::vector<Interface>()>& all,
                           const Environment& environment, const AddressClues& clues);

// The addresses of a name in a file like /etc/hosts.
std::vector<std::string> addresses_in_hosts(std::string_view text, std::string_view name);

// Does all of this for the calling process.
std::string own_address(const Environment& environment);

}  // namespace muster::worker
