// What a node's own file says of a request that was made before the job existed.
#pragma once

#include "core/request/request.hpp"
#include "core/site/config.hpp"

namespace muster::request {

// `request` with the site's values of the keys that the nodes alone act on, where nobody has chosen one. Of a
// job that did not exist when the request was made, the nodes are the first to know which of the site's rules
// hold.
Request with_site_values(Request request, const site::Config& site);

}  // namespace muster::request
