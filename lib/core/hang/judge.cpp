#include "core/hang/judge.hpp"

#include "core/hang/noise.hpp"

#include <algorithm>
#include <utility>

namespace muster::hang {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// A sample takes as long as the slowest node that answers.
constexpr seconds time_to_count{5};

bool runs(const NodeSample& node) {
  return node.started && node.ranks_up > 0;
}

// Before the first task has started, and once they are to end, a wait is no hang.
bool is_under_way(const Sample& sample) {
  return !sample.ending && std::ranges::any_of(sample.nodes, runs);
}

bool was_counted_since(const NodeSample& before, const NodeSample& now) {
  return before.counts && now.counts && now.counts->signs && before.counts->time < now.counts->time;
}

}  // namespace

nanoseconds interval_for(nanoseconds silence) {
  return std::clamp<nanoseconds>(silence / 10, milliseconds(500), seconds(10));
}

State Judge::take(Sample sample) {
  const bool under_way = is_under_way(sample);
  const bool follows_last = last_ && follows(sample);
  const bool moved = !under_way || (follows_last && moved_since_last(sample));
  const auto time = follows_last ? sample.time - last_->time : nanoseconds(0);
  const bool seen = follows_last && under_way && sees_all(sample);
  last_ = std::move(sample);
  if (moved) return restart();
  if (!follows_last) return State::silent;
  return seen ? silent(time) : not_seen(time);
}

// A longer time between the two means that this process did not run, or the node did not.
bool Judge::follows(const Sample& sample) const {
  const auto time = sample.time - last_->time;
  return time > nanoseconds(0) && time <= 2 * limits_.interval + time_to_count &&
         sample.nodes.size() == last_->nodes.size();
}

bool Judge::moved_since_last(const Sample& sample) const {
  if (sample.shown && last_->shown && *sample.shown != *last_->shown) return true;
  for (std::size_t node = 0; node < sample.nodes.size(); ++node) {
    const auto& before = last_->nodes[node];
    const auto& now = sample.nodes[node];
    if (before.started != now.started || before.ranks_up != now.ranks_up) return true;
    if (!was_counted_since(before, now)) continue;
    if (moves(*before.counts, *now.counts, sample.ranks)) return true;
  }
  return false;
}

bool Judge::sees_all(const Sample& sample) {
  unseen_.clear();
  for (std::size_t node = 0; node < sample.nodes.size(); ++node) {
    const auto& now = sample.nodes[node];
    const bool over = now.started && now.ranks_up == 0;
    if (!over && !was_counted_since(last_->nodes[node], now)) unseen_.push_back(now.name);
  }
  return unseen_.empty() && sample.shown && last_->shown;
}

State Judge::restart() {
  silence_ = nanoseconds(0);
  blind_ = nanoseconds(0);
  said_ = false;
  return State::moves;
}

State Judge::not_seen(nanoseconds time) {
  blind_ += time;
  if (said_blind_ || blind_ < limits_.silence) return State::silent;
  said_blind_ = true;
  return State::unseen;
}

State Judge::silent(nanoseconds time) {
  blind_ = nanoseconds(0);
  said_blind_ = false;
  silence_ += time;
  if (said_ || silence_ < limits_.silence) return State::silent;
  said_ = true;
  return State::hangs;
}

}  // namespace muster::hang
