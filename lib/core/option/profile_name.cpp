#include "core/option/profile_name.hpp"

#include <algorithm>
#include <cstddef>

namespace muster::option {
namespace {

constexpr std::size_t max_name_bytes = 64;

bool fits(char letter) {
  const bool lower = letter >= 'a' && letter <= 'z';
  const bool digit = letter >= '0' && letter <= '9';
  return lower || digit || letter == '_' || letter == '-';
}

}  // namespace

bool is_profile_name(std::string_view name) {
  return !name.empty() && name.size() <= max_name_bytes && std::ranges::all_of(name, fits);
}

}  // namespace muster::option
