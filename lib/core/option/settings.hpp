// Values of option keys as text, in layers, each with where it came from. What a text means is
// said by conversion.hpp, which layer wins by merge.hpp.
#pragma once

#include "core/option/key_table.hpp"
#include "core/option/setting.hpp"

#include <map>
#include <optional>
#include <string>

namespace muster::option {

// What one source says; a key that it does not name is absent.
struct Layer {
  std::optional<Setting> profile;
  std::map<Key, Setting> values;

  friend bool operator==(const Layer&, const Layer&) = default;
};

// One value for the profile and for every key.
struct Settings {
  Setting profile{"torch", Origin::default_, "default"};
  std::map<Key, Setting> values;

  const Setting& at(Key key) const { return values.at(key); }

  friend bool operator==(const Settings&, const Settings&) = default;
};

// The built-in defaults: every key with its default_text.
Settings default_settings();

}  // namespace muster::option
