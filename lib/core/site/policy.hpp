// `policy:` in the site's file. docs/configuration.md describes the format.
#pragma once

#include "core/option/policy.hpp"

namespace muster::file {
class Yaml;
}

namespace muster::site {

// The Error names file, line and column.
option::Policy parse_policy(const file::Yaml& mapping);

// A job's policy under both: `special` replaces what `general` fixes and bounds of the same keys, and the
// profiles; what is forbidden adds up.
option::Policy with_policy(option::Policy general, const option::Policy& special);

}  // namespace muster::site
