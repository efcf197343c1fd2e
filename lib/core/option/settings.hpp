// Values of option keys as text, in layers, each with its source. conversion.hpp defines what a
// text means; merge.hpp decides which layer wins.
#pragma once

#include "core/option/key.hpp"
#include "core/option/setting.hpp"

#include <map>
#include <optional>
#include <string>

namespace muster::option {

// What one source sets. Keys that it does not name are absent.
struct Layer {
  std::optional<Setting> profile;
  std::map<Key, Setting> values;

  friend bool operator==(const Layer&, const Layer&) = default;
};

// One value for the profile and one for every key.
struct Settings {
  Setting profile{"torch", Origin::default_, "default"};
  std::map<Key, Setting> values;

  const Setting& at(Key key) const { return values.at(key); }

  friend bool operator==(const Settings&, const Settings&) = default;
};

// The built-in defaults: every key with its default_text.
Settings default_settings();

}  // namespace muster::option
