#include "launcher/agent/rendezvous/groups.hpp"

#include <algorithm>
#include <cmath>

namespace muster::rendezvous {
namespace {

constexpr std::size_t own_descriptors = 64;  // for pipes, the supervisor's connection, libraries
constexpr std::size_t min_passing = 256;     // the same as in the control channel
constexpr std::size_t max_passing = 2048;

}  // namespace

Groups groups_of(std::size_t members, std::optional<std::size_t> width, std::size_t descriptors) {
  const auto passing = std::clamp(descriptors / 8, min_passing, max_passing);
  const auto taken = own_descriptors + 2 * passing;
  const auto room = descriptors > taken ? descriptors - taken : 1;
  const auto star = width ? *width : std::min(max_star, room);
  if (members <= star) return {.relays = 0, .size = 0, .direct = members, .passing = passing};
  const auto root = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(members))));
  const auto size = width.value_or(root);
  const auto relays = (members + size) / (size + 1);
  return {.relays = relays, .size = size, .direct = std::max(room, relays), .passing = passing};
}

}  // namespace muster::rendezvous
