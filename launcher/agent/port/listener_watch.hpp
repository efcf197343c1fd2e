// Watches who listens first at the ports that this node holds for the step's tasks. Any user's server
// that sets SO_REUSEADDR could: the kernel asks for no more.
//
// This sees a listener of another user soon after it has begun to listen, not before. It cannot tell
// other processes of the same user from the step's own.
#pragma once

#include "core/rendezvous/port.hpp"
#include "launcher/agent/port/listeners.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::port {

// A listener of another user at a port that is held for the step.
struct Stranger {
  rendezvous::Port port = 0;
  uid_t user = 0;
};

class ListenerWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // How often it looks: soon after the start of the tasks, when servers start, then less and less.
  struct Pace {
    std::chrono::seconds until;  // counted from the start
    std::chrono::milliseconds interval;
  };

  // `user`: the step's. Root is never a stranger, nor are ids that /etc/subuid lends to the user:
  // a container may run the server under one of them.
  ListenerWatch(std::vector<rendezvous::Port> ports, uid_t user,
                std::string subordinate_ids = "/etc/subuid");

  // When to look again; nothing once a server of the step listens at each port on every address:
  // from then on the kernel refuses all others.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  // Looks once: at the node's listeners.
  std::optional<Stranger> look(std::vector<Listener> listeners);

 private:
  [[nodiscard]] bool is_stranger(uid_t user) const;
  void schedule();

  std::vector<rendezvous::Port> ports_;  // that no server of the step listens at yet
  uid_t user_;
  std::string subordinate_ids_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace muster::port
