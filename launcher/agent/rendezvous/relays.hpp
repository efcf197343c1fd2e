// Which members are relays, and to which of them the leader sends the next member. No sockets.
#pragma once

#include "core/layout/ids.hpp"
#include "launcher/agent/rendezvous/addresses.hpp"
#include "launcher/agent/rendezvous/groups.hpp"

#include <map>
#include <optional>
#include <vector>

namespace muster::rendezvous {

class Relays {
 public:
  explicit Relays(const Groups& groups) : groups_(groups) {}

  // Returns whether one more relay is wanted. If so, it counts as asked until it listens or has failed.
  bool ask_one();
  void listening(layout::NodeIndex node, Offer offer);
  void failed() { --asked_; }  // for a member that was asked to be a relay

  // True if some member that was asked to be a relay does not listen yet.
  [[nodiscard]] bool some_to_come() const { return asked_ > relays_.size(); }

  // The relay to which a member may go: takes turns, and never returns the same relay twice for a member.
  std::optional<Offer> next(layout::NodeIndex member, unsigned attempt);

  // Call it when the relay is gone; returns the members that it had.
  std::vector<layout::NodeIndex> lost(layout::NodeIndex node);

 private:
  struct Relay {
    layout::NodeIndex node = 0;
    Offer offer;
    std::size_t members = 0;
    bool alive = true;
  };

  Groups groups_;
  std::size_t asked_ = 0;  // including those that listen
  std::size_t turn_ = 0;
  std::vector<Relay> relays_;
  std::map<layout::NodeIndex, std::size_t> relay_of_;
};

}  // namespace muster::rendezvous
