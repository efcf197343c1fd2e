// Which process listens on which TCP port of this node.
#pragma once

#include "core/rendezvous/endpoint.hpp"

#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::port {

struct Listener {
  rendezvous::Port port = 0;
  uid_t user = 0;
  bool everywhere = false;  // on every address of the node
};

// Asks the kernel for listeners only (sock_diag), which takes about 20 us. If the kernel does not answer,
// reads its tables. Never throws.
std::vector<Listener> listeners();

// Likewise, from /proc/net/tcp and tcp6, for which the kernel walks its table of all connections.
std::vector<Listener> listeners_in_tables(const std::string& proc = "/proc");

}  // namespace muster::port
