// The site's `policy:`: the values that users cannot change, and the values that they cannot use.
#pragma once

#include "core/option/settings.hpp"

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

struct Policy {
  std::map<Key, Setting> fix;
  std::vector<Forbidden> forbid;

  friend bool operator==(const Policy&, const Policy&) = default;
};

}  // namespace muster::option
