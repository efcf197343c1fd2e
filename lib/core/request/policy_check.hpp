// The site's policy against a request that has arrived at a node. The submit host has merged it
// under the same policy, but the user could have written the request with another program or
// another site's file.
#pragma once

#include "core/request/request.hpp"
#include "core/site/config.hpp"

namespace muster::request {

// Throws Error where the request has a value that the policy does not allow. A request's word about
// the origin of a value is not believed: of a key that users cannot set, only the site's default
// passes. `request` must not yet have values that the node adds (with_network_rule, with_hint).
void check_policy(const Request& request, const site::Config& site);

}  // namespace muster::request
