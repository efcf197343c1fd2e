// Which keys work together with groups=. Pure.
#pragma once

#include "core/request/request.hpp"

namespace muster::groups {

// The request of one group: without what only the whole run can do. Throws an Error of one line if the user
// asks for a key that groups= cannot have.
request::Request request_of_group(request::Request request);

}  // namespace muster::groups
