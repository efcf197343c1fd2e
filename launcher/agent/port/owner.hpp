// Which process owns a port, as far as this process is allowed to know. For messages only.
#pragma once

#include "core/rendezvous/endpoint.hpp"

#include <string>

#include <sys/types.h>

namespace muster::port {

// " by pid 123 (bob)", " by bob", or "" if nothing is known.
std::string describe_owner(rendezvous::Port port, const std::string& proc = "/proc");

// "bob", or "uid 4711" if the user has no name on this node.
std::string user_name(uid_t uid);

}  // namespace muster::port
