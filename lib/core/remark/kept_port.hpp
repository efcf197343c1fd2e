// A rendezvous address that the user exported, as recipes for other launchers tell them to.
#pragma once

#include "core/origin.hpp"
#include "core/profile/profile.hpp"
#include "core/rendezvous/endpoint.hpp"

#include <string>

namespace muster::remark {

// The remark for ranks that rendezvous at the exported MASTER_PORT.
std::string kept_port(const profile::Profile& profile, Origin origin, rendezvous::Port port);

// The remark for an exported MASTER_ADDR that is not rank 0's node: the ranks would wait at the wrong node.
std::string kept_address(const profile::Profile& profile, const std::string& exported,
                         const std::string& address, const std::string& node);

// Whether the profile passes the rendezvous port to the tasks.
bool tells_port(const profile::Profile& profile);

}  // namespace muster::remark
