// Which process owns a port, as far as this process may know. Only for messages.
#pragma once

#include "core/rendezvous/ports.hpp"

#include <string>

namespace muster::port {

// " by pid 123 (bob)", " by bob", or "" if nothing is known.
std::string describe_owner(rendezvous::Port port, const std::string& proc = "/proc");

}  // namespace muster::port
