// Shows the effect of the site's file for a job: the values of the keys, and the policy. Pure.
#pragma once

#include "core/site/config.hpp"

#include <string>

namespace muster::site {

// YAML that could be in the site's file, with every key; with `origin`, each line names where the value is
// set.
std::string to_yaml(const Config& config, bool origin);

// {"version": 1, "keys": {KEY: {"value", "origin", "where", "fixed", "forbidden", "min", "max"}},
// "profiles": the only ones allowed, or null}.
std::string to_json(const Config& config);

}  // namespace muster::site
