// Watches which process listens first on the ports that this node holds for the step's tasks. Any user's
// server that sets SO_REUSEADDR could listen there, because the kernel requires no more than that.
//
// The watch notices another user's listener soon after it starts to listen, but not before. It cannot tell
// the step's processes from other processes of the same user.
#pragma once

#include "core/rendezvous/endpoint.hpp"
#include "launcher/agent/port/listeners.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace muster::port {

// Another user's listener on a port that is held for the step.
struct Stranger {
  rendezvous::Port port = 0;
  uid_t user = 0;
};

class ListenerWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // How often to check: often after the tasks start, because servers start then, and less and less often
  // later.
  struct Pace {
    std::chrono::seconds until;  // counted from the start
    std::chrono::milliseconds interval;
  };

  // Whether another id also belongs to the user, because the user's containers may run the server under it.
  using IsLent = std::function<bool(uid_t id)>;

  // `user`: the step's. Root is never a stranger, nor is an id that is lent to the user (lent_ids.hpp).
  ListenerWatch(std::vector<rendezvous::Port> ports, uid_t user, IsLent is_lent);

  // When to check again; no value once a server of the step listens on every address of each port, because
  // the kernel then refuses all others.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  // Checks the node's listeners once.
  std::optional<Stranger> look(std::vector<Listener> listeners);

 private:
  bool is_stranger(uid_t user);
  void schedule();

  std::vector<rendezvous::Port> ports_;  // the ports on which no server of the step listens yet
  uid_t user_;
  IsLent is_lent_;
  std::vector<uid_t> lent_;  // ids found to be lent: processes are searched once for each
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace muster::port
