// The rendezvous port, held on the node of rank 0 from before the first task until the step ends.
#pragma once

#include "core/rendezvous/ports.hpp"
#include "launcher/os/descriptor.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::port {

// Bound, not listening, SO_REUSEADDR: no other process can take the port or get it as an ephemeral
// one, but a server that sets SO_REUSEADDR (TCPStore, gRPC) can still listen on it.
class HeldPort {
 public:
  // Nothing if the port is taken. Throws Error if ports cannot be bound at all.
  static std::optional<HeldPort> hold(rendezvous::Port port);

  [[nodiscard]] rendezvous::Port port() const { return port_; }

  // From now on the program that this process becomes holds the port, too.
  void keep_through_exec() const;

  // A second socket on the same port, listening, for the agents of the other nodes.
  [[nodiscard]] os::Descriptor listen() const;

 private:
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
