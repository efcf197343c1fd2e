// `policy:` in the site's file. docs/reference/configuration.md describes the format.
#pragma once

#include "core/option/policy.hpp"

namespace muster::file {
class Yaml;
}

namespace muster::site {

// The Error names file, line and column.
option::Policy parse_policy(const file::Yaml& mapping);

// The policy of a job to which both apply. For the same keys, `special` replaces the fixed values and bounds
// of `general`; it also replaces the profiles. What they forbid accumulates.
option::Policy with_policy(option::Policy general, const option::Policy& special);

}  // namespace muster::site
