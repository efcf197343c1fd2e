// Decides which layer wins, and applies the site's policy.
#pragma once

#include "core/option/policy.hpp"
#include "core/option/settings.hpp"

#include <span>

namespace muster::option {

// `highest_first`: the option, MUSTER_DISTRIBUTED, MUSTER_<KEY>, the user's file, the site's file. The
// defaults are added last. A fixed value replaces the site's value or the default. If the user asked for a
// different value or a forbidden one, throws an Error that names the policy's file and line.
Settings merge(std::span<const Layer> highest_first, const Policy& policy);

// Whether `setting` has the forbidden value. `forbid: network=eth0` also applies if eth0 is one of several
// interfaces. Requires `forbidden.value`.
bool names_value(Key key, const Setting& setting, const Forbidden& forbidden);

}  // namespace muster::option
