// Who listens at which TCP port of this node.
#pragma once

#include "core/rendezvous/port.hpp"

#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::port {

struct Listener {
  rendezvous::Port port = 0;
  uid_t user = 0;
  bool everywhere = false;  // on every address of the node
};

// Asks the kernel for these alone (sock_diag), which takes some 20 us; where it does not answer,
// reads its tables. Never throws.
std::vector<Listener> listeners();

// The same from /proc/net/tcp and tcp6: the kernel walks its table of all connections for that.
std::vector<Listener> listeners_in_tables(const std::string& proc = "/proc");

}  // namespace muster::port
