// The rendezvous port, held on the node of rank 0 from before the first task until the step ends.
#pragma once

#include "core/rendezvous/rendezvous.hpp"
#include "launcher/os/descriptor.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::rendezvous {
struct PortCandidates;
}

namespace muster::port {

// Bound, not listening, with SO_REUSEADDR: no other process can hold the port or get it as an
// ephemeral one, but a server that sets SO_REUSEADDR (TCPStore, gRPC) can listen on it. The kernel
// does not ask whose server that is: listener_watch.hpp does.
//
// Two processes could both bind with SO_REUSEADDR as long as neither listens. So a holder binds a
// second socket first, which no other process can have beside it (os/bound_socket.hpp).
class HeldPort {
 public:
  // Nothing if the port is taken. Throws Error if ports cannot be bound at all.
  static std::optional<HeldPort> hold(rendezvous::Port port);

  // A port that the kernel chooses. Nothing if there is none.
  static std::optional<HeldPort> hold_free();

  [[nodiscard]] rendezvous::Port port() const { return port_; }

  // From now on the program that this process becomes holds the port, too.
  void keep_through_exec() const;

  // A second socket on the same port, listening, for the agents of the other nodes.
  [[nodiscard]] os::Descriptor listen() const;

 private:
  static std::optional<HeldPort> hold_locked(rendezvous::Port port, os::Descriptor lock);
  HeldPort(rendezvous::Port port, bool v6, os::Descriptor lock, os::Descriptor socket);

  rendezvous::Port port_;
  bool v6_;
  os::Descriptor lock_;
  os::Descriptor socket_;
};

// The first candidate that can be held. Throws Error that names the owner of the port if it is
// visible.
HeldPort hold_first(const rendezvous::PortCandidates& candidates, const std::string& node);

// The first of these that can be held; finding none is not an error.
std::optional<HeldPort> hold_any(const std::vector<rendezvous::Port>& ports);

}  // namespace muster::port
