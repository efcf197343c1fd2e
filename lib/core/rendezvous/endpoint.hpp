// A TCP port, and the text of an endpoint. Which port a step uses: port_candidates.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::rendezvous {

using Port = std::uint16_t;

// "10.0.0.1:29500", "[fd00::1]:29500"; `address` is a numeric address or a name.
std::string endpoint_text(std::string_view address, Port port);

}  // namespace muster::rendezvous
