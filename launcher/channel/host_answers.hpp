// Whether the supervisor's host is there at all, whatever has become of the supervisor.
#pragma once

#include "launcher/channel/address.hpp"

#include <chrono>

namespace muster::channel {

// One of its addresses takes a connection to the port, or refuses it. False where nothing has come back
// by the timeout, or no way leads there.
bool host_answers(const Address& host, std::chrono::milliseconds timeout);

}  // namespace muster::channel
