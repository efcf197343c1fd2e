#include "launcher/agent/port/listener_watch.hpp"

#include "core/contains.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::port {
namespace {

using namespace std::chrono_literals;

constexpr std::array paces{ListenerWatch::Pace{10s, 50ms}, ListenerWatch::Pace{120s, 500ms}};
constexpr std::chrono::seconds last_interval{5};

}  // namespace

ListenerWatch::ListenerWatch(std::vector<rendezvous::Port> ports, uid_t user, IsLent is_lent)
    : ports_(std::move(ports)), user_(user), is_lent_(std::move(is_lent)) {
  schedule();
}

std::optional<ListenerWatch::Clock::time_point> ListenerWatch::next() const {
  if (ports_.empty()) return std::nullopt;
  return next_;
}

std::optional<Stranger> ListenerWatch::look(std::vector<Listener> listeners) {
  schedule();
  std::erase_if(listeners, [&](const Listener& each) { return !contains(ports_, each.port); });
  for (const auto& each : listeners) {
    if (is_stranger(each.user)) return Stranger{each.port, each.user};
  }
  for (const auto& each : listeners) {
    if (each.everywhere) std::erase(ports_, each.port);
  }
  return std::nullopt;
}

bool ListenerWatch::is_stranger(uid_t user) {
  if (user == user_ || user == 0 || contains(lent_, user)) return false;
  if (!is_lent_(user)) return true;
  lent_.push_back(user);
  return false;
}

void ListenerWatch::schedule() {
  const auto now = Clock::now();
  const auto* const pace =
      std::ranges::find_if(paces, [&](const Pace& each) { return now - start_ < each.until; });
  next_ = now + (pace == paces.end() ? last_interval : pace->interval);
}

}  // namespace muster::port
