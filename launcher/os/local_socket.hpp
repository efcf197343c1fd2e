// Sockets by which processes of one user on one node find each other. The names are abstract and disappear
// with their process. The peer must have our own user ID.
#pragma once

#include "launcher/os/descriptor.hpp"
#include "wire/frames.hpp"

#include <optional>
#include <string>

#include <sys/types.h>

namespace muster::os {

// Listens under this name; empty if another process already does. Throws Error if it cannot listen.
Descriptor listen_at(const std::string& name);

// Empty if no process listens under this name.
Descriptor connect_to(const std::string& name);

// The next connection; empty if the time is up.
Descriptor accept_before(const Descriptor& listener, wire::Deadline deadline);

// The user of the process at the other end.
std::optional<uid_t> peer_user(const Descriptor& socket);

}  // namespace muster::os
