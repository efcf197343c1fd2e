// What a node's own site file adds to a request that was made before the job existed.
#pragma once

#include "core/request/request.hpp"
#include "core/site/config.hpp"

namespace muster::request {

// `request` with the site's values for the keys that only the nodes act on, unless the user chose one. If
// the job did not exist when the request was made, the nodes are the first to know which of the site's
// rules apply.
Request with_site_values(Request request, const site::Config& site);

}  // namespace muster::request
