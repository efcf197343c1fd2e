#include "launcher/agent/rendezvous/relays.hpp"

#include <utility>

namespace muster::rendezvous {

bool Relays::ask_one() {
  if (asked_ >= groups_.relays) return false;
  ++asked_;
  return true;
}

void Relays::listening(layout::NodeIndex node, Offer offer) {
  relays_.push_back({.node = node, .offer = std::move(offer), .members = 0, .alive = true});
}

std::optional<Offer> Relays::next(layout::NodeIndex member, unsigned attempt) {
  // Members that come back need the room that the other groups have left.
  const auto room = attempt == 0 ? groups_.size : 2 * groups_.size;
  const auto before = relay_of_.find(member);
  for (std::size_t i = 0; i < relays_.size(); ++i) {
    const auto index = turn_++ % relays_.size();
    auto& relay = relays_[index];
    const bool again = before != relay_of_.end() && before->second == index;
    if (!relay.alive || relay.members >= room || again) continue;
    ++relay.members;
    relay_of_[member] = index;
    return relay.offer;
  }
  return std::nullopt;
}

std::vector<layout::NodeIndex> Relays::lost(layout::NodeIndex node) {
  std::vector<layout::NodeIndex> members;
  for (std::size_t index = 0; index < relays_.size(); ++index) {
    if (relays_[index].node != node) continue;
    relays_[index].alive = false;
    for (const auto& [member, relay] : relay_of_) {
      if (relay == index) members.push_back(member);
    }
  }
  return members;
}

}  // namespace muster::rendezvous
