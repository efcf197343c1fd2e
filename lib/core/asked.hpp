// What is asked of muster: all sources in their order of precedence.
#pragma once

#include "core/config.hpp"
#include "core/environment.hpp"
#include "core/option.hpp"
#include "core/settings.hpp"

#include <optional>
#include <string_view>

namespace muster {

struct Asked {
  Wanted wanted = Wanted::launch;
  Settings settings;  // the defaults unless launch
};

// `option`: the value of --distributed ("" when bare), or nothing when it was not given; then
// MUSTER_DISTRIBUTED decides what is wanted.
Asked gather(std::optional<std::string_view> option, const Environment& environment,
             const Config& user, const Config& site);

}  // namespace muster
