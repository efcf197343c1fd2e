// What a request needs from a launch, read from the keys' rows. A launch refuses a request for something
// that it lacks.
#pragma once

#include "core/option/key.hpp"
#include "core/option/need.hpp"

#include <optional>

namespace muster::request {

struct Request;

// The first key that needs `least` or more and that the user, not the site, has set to a value other than
// its default.
std::optional<option::Key> first_asked(const Request& request, option::Need least);

// `request` with the keys that need `least` or more reset to their default values.
Request without(Request request, option::Need least);

// Only the supervisor can show a plan or restart. Throws Error if the request wants that without a
// supervisor.
void check_supervision(const Request& request);

}  // namespace muster::request
