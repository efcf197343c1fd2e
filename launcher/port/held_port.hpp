// The rendezvous port, held on the node of rank 0 from before the first task until the step ends.
#pragma once

#include "core/rendezvous/ports.hpp"
#include "launcher/os/descriptor.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::port {

// Bound, not listening, SO_REUSEADDR: nobody else can take the port or be given it as an ephemeral
// one, but a server that sets SO_REUSEADDR (TCPStore, gRPC) can still listen on it.
class HeldPort {
 public:
  // Nothing when the port is taken. Throws Error when ports cannot be bound at all.
  static std::optional<HeldPort> hold(rendezvous::Port port);

  [[nodiscard]] rendezvous::Port port() const { return port_; }

  // From now on also the program that this process becomes holds the port.
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

// The first candidate that can be held. Throws Error naming who has the port where it can be seen.
HeldPort hold_first(const rendezvous::PortCandidates& candidates, const std::string& node);

// The first of these that can be held, where none is an answer, too.
std::optional<HeldPort> hold_any(const std::vector<rendezvous::Port>& ports);

}  // namespace muster::port
