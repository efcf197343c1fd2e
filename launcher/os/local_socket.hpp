// Sockets by which processes of one user on one node find each other: abstract names, which go away
// with their process, and a peer that must have our own user id.
#pragma once

#include "launcher/os/descriptor.hpp"
#include "wire/frames.hpp"

#include <optional>
#include <string>

#include <sys/types.h>

namespace muster::os {

// Listening under this name; empty where somebody does already. Error where it cannot be.
Descriptor listen_at(const std::string& name);

// Empty where nobody listens under this name.
Descriptor connect_to(const std::string& name);

// The next connection; empty when the time is up.
Descriptor accept_before(const Descriptor& listener, wire::Deadline deadline);

// The user of the process at the other end.
std::optional<uid_t> peer_user(const Descriptor& socket);

}  // namespace muster::os
