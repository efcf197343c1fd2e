// The address and port where the ranks of a step meet.
#pragma once

#include "core/origin.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::rendezvous {

using Port = std::uint16_t;

struct Rendezvous {
  std::string address;
  Port port = 0;
  Origin port_origin = Origin::rendezvous;
};

// "10.0.0.1:29500", "[fd00::1]:29500"; `address` is a numeric address or a name.
std::string endpoint_text(std::string_view address, Port port);

}  // namespace muster::rendezvous
