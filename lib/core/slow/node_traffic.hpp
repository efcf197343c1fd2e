// Reduces what the kernel counts for a node's TCP connections to what the supervisor has to know. Pure.
#pragma once

#include "core/slow/traffic.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace muster::slow {

inline constexpr std::size_t max_connections = 16384;  // of a node

// One connection, as the kernel shows it. The counters count up.
struct Connection {
  std::uint64_t id = 0;  // unlike that of any other connection of this node, until it starts again
  std::uint64_t inode = 0;
  Address from;
  Address to;
  std::uint64_t bytes = 0;            // acknowledged
  std::chrono::microseconds busy{0};  // data waited for the network or for an acknowledgement
  std::chrono::microseconds receiver_full{0};  // of it: the receiver had no room
  std::uint64_t segments = 0;
  std::uint64_t repeated = 0;
  std::uint64_t waiting = 0;  // bytes that are not acknowledged, at this moment

  friend bool operator==(const Connection&, const Connection&) = default;
};

class NodeTraffic {
 public:
  // The connections of the node's ranks at one moment, those within the node as well.
  void look(const std::vector<Connection>& connections);

  // What there is to tell since the last call; no value before there has been a connection to another node.
  std::optional<Traffic> take();

 private:
  struct Sum {
    Flow flow;
    std::map<std::uint64_t, std::chrono::microseconds> busy = {};  // of each connection
  };

  void count(const Connection& now, const Connection& before);

  std::map<std::uint64_t, Connection> latest_;  // by id
  std::set<Address> own_;
  std::map<Address, Sum> sums_;
  bool seen_ = false;
};

}  // namespace muster::slow
