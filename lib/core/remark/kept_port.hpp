// A meeting place that the user has exported, as recipes for other launchers do.
#pragma once

#include "core/origin.hpp"
#include "core/profile/profile.hpp"
#include "core/rendezvous/port.hpp"

#include <string>

namespace muster::remark {

// A line for ranks that meet at MASTER_PORT as it was exported.
std::string kept_port(const profile::Profile& profile, Origin origin, rendezvous::Port port);

// A line for an exported MASTER_ADDR that is not rank 0's node: its ranks would wait at another one.
std::string kept_address(const profile::Profile& profile, const std::string& exported,
                         const std::string& address, const std::string& node);

// The profile tells tasks the rendezvous' port.
bool tells_port(const profile::Profile& profile);

}  // namespace muster::remark
