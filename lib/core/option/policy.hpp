// The site's `policy:`: values that users cannot change, values that they cannot use, the profiles that they
// can use, and the same for environment variables.
#pragma once

#include "core/option/settings.hpp"
#include "core/option/variable_policy.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::option {

// `forbid: KEY` or `forbid: KEY=VALUE`.
struct Forbidden {
  Key key;
  std::optional<std::string> value;
  std::string where;

  friend bool operator==(const Forbidden&, const Forbidden&) = default;
};

struct AllowedProfiles {
  std::vector<std::string> names;
  std::string where;

  friend bool operator==(const AllowedProfiles&, const AllowedProfiles&) = default;
};

struct Policy {
  std::map<Key, Setting> fix = {};
  std::vector<Forbidden> forbid = {};
  std::map<Key, Setting> min = {};  // for keys whose value is a number
  std::map<Key, Setting> max = {};
  std::optional<AllowedProfiles> profiles = {};  // no value: all profiles
  VariablePolicy variables = {};

  friend bool operator==(const Policy&, const Policy&) = default;
};

}  // namespace muster::option
