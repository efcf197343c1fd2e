// What the kernel counts for the TCP connections of this node.
#pragma once

#include "core/slow/node_traffic.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace muster::agent {

struct TcpConnection {
  slow::Connection counters;
  uid_t user = 0;
  std::uint16_t port_to = 0;
};

// The established ones, those of all users; at most slow::max_connections. Asks the kernel (sock_diag,
// Linux 4.10 or later), which needs no right. No value if the kernel cannot answer. Never throws.
std::optional<std::vector<TcpConnection>> tcp_connections();

enum class Reading : std::uint8_t { more, complete, failed };

// Adds what one message of the kernel's answer has. Trusts no length in it. Pure.
Reading take_connections(std::string_view messages, std::vector<TcpConnection>& all);

}  // namespace muster::agent
