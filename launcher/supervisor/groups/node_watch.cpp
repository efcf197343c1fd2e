#include "launcher/supervisor/groups/node_watch.hpp"

#include "core/contains.hpp"
#include "launcher/slurm/drained.hpp"
#include "launcher/supervisor/attempts/node_pool.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::groups {
namespace {

constexpr std::chrono::seconds look_interval{1};  // at the pool
constexpr std::chrono::milliseconds ask_timeout{2000};

}  // namespace

NodeWatch::NodeWatch(attempts::NodePool& pool, slurm::Allocation allocation, const Policy& policy)
    : pool_(pool),
      policy_(policy),
      jobs_(std::move(allocation), policy.heartbeat),
      removal_(jobs_.removal()) {
  if (policy_.drain) next_ask_ = Clock::now() + policy_.drain_interval;
}

NodeWatch::Clock::time_point NodeWatch::next() const {
  return next_ask_ ? std::min(next_look_, *next_ask_) : next_look_;
}

void NodeWatch::act() {
  if (Clock::now() >= next_look_) {
    learn_of_lost();
    remove_lost();
    next_look_ = Clock::now() + look_interval;
  }
  if (next_ask_ && Clock::now() >= *next_ask_) {
    ask_drained();
    next_ask_ = Clock::now() + policy_.drain_interval;
  }
}

void NodeWatch::learn_of_lost() {
  for (const auto& node : pool_.all().nodes) {
    if (node.lost_at) {
      learn_of_gained(node.name);
      jobs_.was_lost(node.name,
                     Clock::time_point(std::chrono::duration_cast<Clock::duration>(*node.lost_at)));
    } else {
      jobs_.was_used_elsewhere(node.name);
    }
  }
}

// Another job may have given its nodes to this one since.
void NodeWatch::learn_of_gained(const std::string& node) {
  if (contains(jobs_.allocation().nodes, node) || !jobs_.ask_which_nodes(ask_timeout)) return;
  if (!contains(jobs_.allocation().nodes, node)) pool_.remove(std::vector{node});
}

void NodeWatch::remove_lost() {
  const auto before = jobs_.removed();
  removal_.act();
  auto removed = jobs_.removed();
  std::erase_if(removed, [&](const auto& node) { return contains(before, node); });
  if (!removed.empty()) pool_.remove(removed);
}

void NodeWatch::ask_drained() {
  std::vector<std::string> used;
  for (const auto& node : pool_.all().nodes) {
    if (node.group) used.push_back(node.name);
  }
  if (used.empty()) return;
  if (const auto drained = slurm::ask_drained(used, ask_timeout)) pool_.set_drained(*drained);
}

}  // namespace muster::groups
