// What the site's file comes to for a job: the values of the keys, and the policy. Pure.
#pragma once

#include "core/site/config.hpp"

#include <string>

namespace muster::site {

// As YAML that the site's file could hold, every key in it; with `origin` each line names its place.
std::string to_yaml(const Config& config, bool origin);

// {"version": 1, "keys": {KEY: {"value", "origin", "where", "fixed", "forbidden", "min", "max"}},
// "profiles": the only ones, or null}.
std::string to_json(const Config& config);

}  // namespace muster::site
