// The kernel's tables of TCP sockets, /proc/net/tcp and tcp6. Pure.
#pragma once

#include "core/rendezvous/endpoint.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace muster::port {

struct Socket {
  rendezvous::Port port = 0;  // the local port
  bool everywhere = false;    // on every address of the node
  bool listens = false;
  uid_t user = 0;
  std::string inode;
};

// Parses one line of a table; no value for the header or for anything else.
std::optional<Socket> parse_socket(std::string_view line);

}  // namespace muster::port
