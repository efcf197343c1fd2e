#include "launcher/agent/port/listener_watch.hpp"

#include "core/contains.hpp"
#include "launcher/agent/port/owner.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>
#include <utility>

namespace muster::port {
namespace {

using namespace std::chrono_literals;

constexpr std::array paces{ListenerWatch::Pace{10s, 50ms}, ListenerWatch::Pace{120s, 500ms}};
constexpr std::chrono::seconds last_interval{5};

constexpr std::size_t max_subordinates = 65536;  // limit on the lines of /etc/subuid

// "alice:100000:65536" or "1000:100000:65536".
bool lends(const std::string& line, const std::string& name, const std::string& number, uid_t id) {
  std::istringstream fields(line);
  std::string owner, first, count;
  std::getline(fields, owner, ':') && std::getline(fields, first, ':') &&
      std::getline(fields, count);
  std::uint64_t from = 0;
  std::uint64_t size = 0;
  std::from_chars(first.data(), first.data() + first.size(), from);
  std::from_chars(count.data(), count.data() + count.size(), size);
  return (owner == name || owner == number) && id >= from && id - from < size;
}

}  // namespace

ListenerWatch::ListenerWatch(std::vector<rendezvous::Port> ports, uid_t user,
                             std::string subordinate_ids)
    : ports_(std::move(ports)), user_(user), subordinate_ids_(std::move(subordinate_ids)) {
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

bool ListenerWatch::is_stranger(uid_t user) const {
  if (user == user_ || user == 0) return false;
  std::ifstream file(subordinate_ids_);
  const auto name = user_name(user_);
  const auto number = std::to_string(user_);
  std::string line;
  for (std::size_t i = 0; i < max_subordinates && std::getline(file, line); ++i) {
    if (lends(line, name, number, user)) return false;
  }
  return true;
}

void ListenerWatch::schedule() {
  const auto now = Clock::now();
  const auto* const pace =
      std::ranges::find_if(paces, [&](const Pace& each) { return now - start_ < each.until; });
  next_ = now + (pace == paces.end() ? last_interval : pace->interval);
}

}  // namespace muster::port
