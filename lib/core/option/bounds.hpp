// Keys whose value is a number or a time, and the bounds that a site's policy gives them.
#pragma once

#include "core/option/policy.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::option {

// A time in seconds. Nothing for a key that is no number, and for its word for none, such as off.
std::optional<std::uint64_t> number_of(Key key, const Setting& setting);

// The bound that `setting` is beyond, as "at most 3"; nothing where there is none.
struct BrokenBound {
  std::string text;
  const Setting* bound = nullptr;  // of `policy`
};
std::optional<BrokenBound> broken_bound(Key key, const Setting& setting, const Policy& policy);

}  // namespace muster::option
