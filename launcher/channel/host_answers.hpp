// Whether, and where, the supervisor's host still responds, whether or not the supervisor is running.
#pragma once

#include "launcher/channel/address.hpp"

#include <chrono>
#include <string>

namespace muster::channel {

// True if one of its addresses accepts a connection to the port or refuses it. False if nothing has come
// back by the timeout, or if there is no route to it.
bool host_answers(const Address& host, std::chrono::milliseconds timeout);

// The address at which something accepts a connection to the port; the first one if none does so in time.
std::string answering_address(const Address& place, std::chrono::milliseconds timeout);

}  // namespace muster::channel
