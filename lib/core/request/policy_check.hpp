// Checks a request that has arrived at a node against the site's policy. The submit host merged it under
// the same policy, but the user could have written the request with another program or another site file.
#pragma once

#include "core/request/request.hpp"
#include "core/site/config.hpp"

namespace muster::request {

// Throws Error if the request has a value that the policy does not allow. What a request says about the
// origin of a value is not trusted: for a key that users cannot set, only the site's default passes.
// `request` must not yet contain values that the node adds (with_network_rule, with_hint).
void check_policy(const Request& request, const site::Config& site);

}  // namespace muster::request
