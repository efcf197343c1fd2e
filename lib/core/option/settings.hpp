// Values of option keys as text, in layers, each with where it came from; which layer wins;
// and what the site's policy fixes or forbids. Meaning is given to the text by values.hpp.
#pragma once

#include "core/option/keys.hpp"
#include "core/origin.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster {

struct Setting {
  std::string value;
  Origin origin = Origin::default_;
  std::string where;  // "--distributed", "MUSTER_BIND", "/etc/muster/muster.yaml:12:9", "default"

  friend bool operator==(const Setting&, const Setting&) = default;
};

// What one source says; a key that it does not name is absent.
struct Layer {
  std::optional<Setting> profile;
  std::map<Key, Setting> values;

  friend bool operator==(const Layer&, const Layer&) = default;
};

// `forbid: KEY` or `forbid: KEY=VALUE`.
struct Forbidden {
  Key key;
  std::optional<std::string> value;
  std::string where;

  friend bool operator==(const Forbidden&, const Forbidden&) = default;
};

// The site's `policy:`.
struct Policy {
  std::map<Key, Setting> fix;
  std::vector<Forbidden> forbid;

  friend bool operator==(const Policy&, const Policy&) = default;
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

// `highest_first`: option, MUSTER_DISTRIBUTED, MUSTER_<KEY>, the user's file, the site's file;
// the defaults come last by themselves. A fixed value replaces what the site or nobody said;
// Error where the user asked for something else, or for anything forbidden, naming the
// policy's file and line.
Settings merge(std::span<const Layer> highest_first, const Policy& policy);

}  // namespace muster
