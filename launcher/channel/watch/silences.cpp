#include "launcher/channel/watch/silences.hpp"

#include <algorithm>
#include <utility>

namespace muster::watch {

std::chrono::nanoseconds OwnSleep::look(Time now) {
  if (!last_) return {};
  const auto before = std::exchange(*last_, now);
  const auto slept = now - next(before);
  return slept > heartbeat_ / 4 ? std::chrono::nanoseconds(slept) : std::chrono::nanoseconds{0};
}

bool is_own_side(std::span<const OwnSleep::Time> heard, std::chrono::milliseconds heartbeat) {
  if (heard.size() < 2) return false;
  const auto [first, last] = std::ranges::minmax(heard);
  return last - first <= heartbeat / 3;
}

}  // namespace muster::watch
