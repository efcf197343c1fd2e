#include "core/slow/tracker.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster::slow {

using std::chrono::nanoseconds;

std::optional<std::size_t> Tracker::index_of(const Suspect& suspect) const {
  for (std::size_t i = 0; i < named_.size(); ++i) {
    if (nodes_[i] == suspect.node && named_[i].rank == suspect.rank) return i;
  }
  return std::nullopt;
}

void Tracker::update(Named& named, const Suspect& suspect) const {
  named.operation = suspect.operation;
  named.group = suspect.group;
  named.last_percent = 100 * suspect.last_share;
  named.delay = suspect.delay;
  named.period = suspect.period;
  named.time_percent = 100 * suspect.time_share;
  named.over = false;
}

std::vector<std::size_t> Tracker::look(
    nanoseconds now, const std::function<std::string(std::size_t node)>& name_of) {
  judge_.add(meetings_.take());
  const auto passed = now - looked_.value_or(now);
  looked_ = now;
  for (std::size_t i = 0; i < named_.size(); ++i) {
    const auto still = judge_.still(nodes_[i], named_[i].rank);
    if (still) named_[i].over = !*still;
  }
  std::vector<std::size_t> fresh;
  for (const auto& suspect : judge_.look()) {
    auto index = index_of(suspect);
    if (!index) {
      if (named_.size() == max_named) continue;
      index = named_.size();
      fresh.push_back(*index);
      named_.push_back(
          {.node = name_of(suspect.node), .rank = suspect.rank, .operation = {}, .since = now});
      nodes_.push_back(suspect.node);
    }
    auto& named = named_[*index];
    update(named, suspect);
    named.lost +=
        nanoseconds(std::llround(suspect.time_share * static_cast<double>(passed.count())));
  }
  return fresh;
}

}  // namespace muster::slow
