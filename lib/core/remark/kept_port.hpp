// A rendezvous port that the user exported, as recipes for other launchers tell them to.
#pragma once

#include "core/origin.hpp"
#include "core/profile/profile.hpp"
#include "core/rendezvous/endpoint.hpp"

#include <string>

namespace muster::remark {

// The remark for ranks that rendezvous at the exported MASTER_PORT.
std::string kept_port(const profile::Profile& profile, Origin origin, rendezvous::Port port);

// Whether the profile passes the rendezvous port to the tasks.
bool tells_port(const profile::Profile& profile);

}  // namespace muster::remark
