// The grammar of --distributed and of its environment variables:
//   [PROFILE][,KEY[=VALUE]]...   off   help
// The first word may already be a key. Then, and if the value is empty, the next layer chooses the profile;
// the last layer chooses torch.
#pragma once

#include "core/environment.hpp"
#include "core/option/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::option {

inline constexpr std::size_t max_option_bytes = 4096;

struct KeyInfo;

enum class Action : std::uint8_t { launch, off, help };

struct Option {
  Action action = Action::launch;
  Layer layer;  // empty unless launch

  friend bool operator==(const Option&, const Option&) = default;
};

// Checks the grammar, the keys, and that no key occurs twice; does not check the values yet. An empty text
// is the bare option.
Option parse_option(std::string_view text, Origin origin, std::string_view where);

// From MUSTER_DISTRIBUTED; its Layer is empty if the variable is not set.
Option option_from_environment(const Environment& environment);

// From MUSTER_BIND, MUSTER_DRY_RUN, ...: one variable per key. Other variables are ignored.
Layer variables_layer(const Environment& environment);

// "MUSTER_DRY_RUN" for dry-run.
std::string variable_name(const KeyInfo& key);

// The variable names of all keys.
std::vector<std::string> variable_names();

}  // namespace muster::option
