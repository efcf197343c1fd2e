// The socket on which the supervisor waits for the nodes' questions.
#pragma once

#include "core/option/port_range.hpp"
#include "launcher/os/descriptor.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::channel {

struct Listener {
  os::Descriptor socket{};  // empty if no port could be opened
  std::uint16_t port = 0;
  bool v6 = false;
};

// Listens on every address, both IPv6 and IPv4 if the host has them; on the first free port of the range, or
// on any.
Listener listen(const std::optional<option::PortRange>& ports);

// Listens on the first of these ports that is free, or on any.
Listener listen(const std::vector<std::uint16_t>& ports);

}  // namespace muster::channel
