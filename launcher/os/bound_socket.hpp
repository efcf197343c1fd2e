// A TCP socket bound to a port on every address of this node.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <cstdint>

namespace muster::os {

struct PortUse {
  bool v6 = true;              // accepts IPv4, too
  bool reuse_address = false;  // SO_REUSEADDR
};

// Port 0 takes any free one. Not listening yet; empty, with errno set, if it fails.
Descriptor bind_any_address(std::uint16_t port, PortUse use);

}  // namespace muster::os
