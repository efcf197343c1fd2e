// Keys whose value is a number or a time, and the bounds that a site's policy sets for them.
#pragma once

#include "core/option/policy.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::option {

// Times are in seconds. No value if the key is not a number, or if its value is its word for none, such as
// off.
std::optional<std::uint64_t> number_of(Key key, const Setting& setting);

// The bound that `setting` exceeds, as "at most 3"; no value if it is within its bounds.
struct BrokenBound {
  std::string text;
  const Setting* bound = nullptr;  // of `policy`
};
std::optional<BrokenBound> broken_bound(Key key, const Setting& setting, const Policy& policy);

}  // namespace muster::option
