// A TCP socket bound to a port on every address of this node.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <cstdint>

namespace muster::os {

struct PortUse {
  bool v6 = true;              // accepts IPv4 as well
  bool reuse_address = false;  // SO_REUSEADDR
  bool reuse_port = false;     // SO_REUSEPORT
};

// With port 0, takes any free one. Not listening yet; on failure, empty with errno set.
Descriptor bind_any_address(std::uint16_t port, PortUse use);

// Binds the port at one unusual address of the loopback network, first without SO_REUSEADDR, and sets that
// afterwards. No second process succeeds, nor does this one while any socket is bound to the port on every
// address. Unlike bind_any_address() without SO_REUSEADDR, it succeeds if only connections in TIME_WAIT are
// left, because those have other addresses. With port 0, takes any free one. On failure, empty with errno
// set.
Descriptor bind_exclusively(std::uint16_t port);

// From now on others that set SO_REUSEADDR may bind the port as well.
void allow_reuse(const Descriptor& socket);

// From now on only processes of this process's user may bind the port, if they set SO_REUSEPORT.
void allow_own_user(const Descriptor& socket);

// 0 if it is not bound to a port.
std::uint16_t bound_port(const Descriptor& socket);

}  // namespace muster::os
