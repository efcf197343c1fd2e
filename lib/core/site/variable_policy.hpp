// `policy: variables:` in the site's file. docs/reference/configuration.md describes the format.
#pragma once

#include "core/option/variable_policy.hpp"

namespace muster::file {
class Yaml;
}

namespace muster::site {

// The Error names file, line and column.
option::VariablePolicy parse_variable_policy(const file::Yaml& mapping);

// Like with_policy(): `special` replaces values and bounds, and what they forbid accumulates.
option::VariablePolicy with_variable_policy(option::VariablePolicy general,
                                            const option::VariablePolicy& special);

}  // namespace muster::site
