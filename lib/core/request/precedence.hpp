// Merges all sources of the option in order of precedence.
#pragma once

#include "core/environment.hpp"
#include "core/option/option.hpp"
#include "core/option/settings.hpp"
#include "core/site/config.hpp"

#include <optional>
#include <string_view>

namespace muster::request {

struct MergedSettings {
  option::Action action = option::Action::launch;
  option::Settings settings;  // only the defaults unless the action is launch
};

// `option`: the value of --distributed ("" if bare), or no value if it was not given. Without it,
// MUSTER_DISTRIBUTED decides the action.
MergedSettings merge_sources(std::optional<std::string_view> option, const Environment& environment,
                             const site::Config& user, const site::Config& site);

}  // namespace muster::request
