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
constexpr seconds count_timeout{5};

bool runs(const NodeSample& node) {
  return node.started && node.ranks_up > 0;
}

// Before the first task has started, and once the tasks have been told to stop, waiting is not a hang.
bool is_under_way(const Sample& sample) {
  return !sample.ending && std::ranges::any_of(sample.nodes, runs);
}

bool is_suspended(const NodeSample& node) {
  return node.counts && node.counts->signs && node.counts->signs->suspended;
}

bool is_suspended(const Sample& sample) {
  return std::ranges::any_of(sample.nodes, runs) &&
         std::ranges::all_of(sample.nodes, [](const NodeSample& node) {
           return !runs(node) || is_suspended(node);
         });
}

bool was_counted_since(const NodeSample& before, const NodeSample& now) {
  return before.counts && now.counts && before.counts->signs && now.counts->signs &&
         before.counts->time < now.counts->time;
}

// A rank without a recorder, or one that does not answer, may be working.
bool are_all_inside(const NodeSample& node) {
  const auto& collectives = node.counts->signs->collectives;
  return node.started && collectives && collectives->recorders >= node.ranks_up &&
         collectives->inside == collectives->recorders;
}

}  // namespace

nanoseconds interval_for(nanoseconds silence) {
  return std::clamp<nanoseconds>(silence / 10, milliseconds(500), seconds(10));
}

State Judge::take(Sample sample) {
  const bool under_way = is_under_way(sample);
  const bool follows_last = last_ && follows(sample);
  const auto above_noise = [&sample](const auto& before, const auto& now) {
    return hang::moves(before, now, sample.ranks);
  };
  const bool moved = !under_way || (follows_last && moved_since_last(sample, above_noise));
  const bool observed = follows_last && !is_suspended(sample) && !is_suspended(*last_);
  const auto time = observed ? sample.time - last_->time : nanoseconds(0);
  const bool seen = observed && under_way && sees_all(sample);
  stay(last_ && under_way && stays_in_collectives(sample), time);
  last_ = std::move(sample);
  if (moved) return with_collectives(restart());
  if (!observed) return with_collectives(State::silent);
  return with_collectives(seen ? silent(time) : not_seen(time));
}

State Judge::take_after_dump(Sample sample) {
  const bool under_way = is_under_way(sample);
  const bool same_nodes = last_ && sample.nodes.size() == last_->nodes.size();
  const bool moved = !under_way || (same_nodes && moved_since_last(sample, moves_despite_dump));
  stay(same_nodes && under_way && stays_in_collectives(sample), nanoseconds(0));
  last_ = std::move(sample);
  return moved ? restart() : State::silent;
}

void Judge::stay(bool stays, nanoseconds time) {
  stay_ = stays ? stay_ + time : nanoseconds(0);
  if (!stays) said_stay_ = false;
}

// Reports a hang once, no matter which way it is noticed first.
State Judge::with_collectives(State state) {
  if (state == State::hangs) {
    by_collectives_ = false;
    said_stay_ = true;
    return state;
  }
  if (said_ || said_stay_ || stay_ < limits_.silence) return state;
  by_collectives_ = true;
  said_stay_ = true;
  return State::hangs;
}

bool Judge::stays_in_collectives(const Sample& sample) const {
  if (sample.nodes.size() != last_->nodes.size()) return false;
  for (std::size_t node = 0; node < sample.nodes.size(); ++node) {
    const auto& before = last_->nodes[node];
    const auto& now = sample.nodes[node];
    if (now.started && before.started && now.ranks_up == 0 && before.ranks_up == 0) continue;
    if (!was_counted_since(before, now) || !are_all_inside(now)) return false;
    if (before.counts->signs->collectives != now.counts->signs->collectives) return false;
  }
  return true;
}

// If more time has passed between the two samples, this process or the node was not running in between.
bool Judge::follows(const Sample& sample) const {
  const auto time = sample.time - last_->time;
  return time > nanoseconds(0) && time <= 2 * limits_.interval + count_timeout &&
         sample.nodes.size() == last_->nodes.size();
}

bool Judge::moved_since_last(const Sample& sample, const Moves& moves) const {
  if (sample.shown && last_->shown && *sample.shown != *last_->shown) return true;
  for (std::size_t node = 0; node < sample.nodes.size(); ++node) {
    const auto& before = last_->nodes[node];
    const auto& now = sample.nodes[node];
    if (before.started != now.started || before.ranks_up != now.ranks_up) return true;
    if (was_counted_since(before, now) && moves(*before.counts, *now.counts)) return true;
  }
  return false;
}

bool Judge::sees_all(const Sample& sample) {
  unseen_.clear();
  for (std::size_t node = 0; node < sample.nodes.size(); ++node) {
    const auto& now = sample.nodes[node];
    const bool over = now.started && now.ranks_up == 0;
    if (over) continue;
    // Ranks that have started wait for those that have not: a slow start does not count as a hang.
    const bool counted = was_counted_since(last_->nodes[node], now);
    if (!now.started || !counted) unseen_.push_back({now.name, !now.started});
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
