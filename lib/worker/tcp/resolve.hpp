// Resolves a name or a numeric address to socket addresses, within a deadline.
#pragma once

#include "worker/tcp/socket.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::worker::tcp {

struct Resolved {
  std::vector<SocketAddress> addresses;
  std::string why_not;  // if there are no addresses
};

// Numeric text needs no resolver. For names, glibc's getaddrinfo_a() asks the system's resolver,
// which has no deadline of its own: a request that is still open at `until` is abandoned.
Resolved resolve(const std::string& host, std::uint16_t port, Deadline::Clock::time_point until);

}  // namespace muster::worker::tcp
