// What a request asks of a launch, by the keys' own rows: a launch that lacks something refuses it.
#pragma once

#include "core/option/key.hpp"
#include "core/option/need.hpp"

#include <optional>

namespace muster::request {

struct Request;

// The first key that needs `least` or more and that the user, not the site, has set to something other than
// its default.
std::optional<option::Key> first_asked(const Request& request, option::Need least);

// `request` with the defaults of the keys that need `least` or more.
Request without(Request request, option::Need least);

// Only the supervisor can show a plan or start again. Throws Error where the request wants that
// without a supervisor.
void check_supervision(const Request& request);

}  // namespace muster::request
