// An address and a port as one text.
#pragma once

#include "core/rendezvous/ports.hpp"

#include <string>
#include <string_view>

namespace muster::rendezvous {

// "10.0.0.1:29500", "[fd00::1]:29500"; `address` is a numeric address or a name.
std::string endpoint_text(std::string_view address, Port port);

}  // namespace muster::rendezvous
