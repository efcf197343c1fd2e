// A range of ports, given by a user or a site.
#pragma once

#include <cstdint>

namespace muster::option {

// first <= last; neither port is privileged.
struct PortRange {
  std::uint16_t first;
  std::uint16_t last;

  friend bool operator==(const PortRange&, const PortRange&) = default;
};

}  // namespace muster::option
