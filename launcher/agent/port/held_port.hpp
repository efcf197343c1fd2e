// A port of the ranks, held on the node of rank 0 from before the first task until the step ends.
#pragma once

#include "core/rendezvous/port.hpp"
#include "launcher/os/descriptor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::rendezvous {
struct PortCandidates;
}

namespace muster::port {

// Whose server may listen at a held port.
enum class Admits : std::uint8_t {
  every_user,  // if it sets SO_REUSEADDR, as TCPStore and gRPC do: listener_watch.hpp sees whose it is
  own_user,  // if it sets SO_REUSEPORT, as the worker library does: the kernel refuses all others
};

// Bound, not listening, with SO_REUSEADDR or SO_REUSEPORT: no other process can hold the port or get
// it as an ephemeral one, but the step's server can listen on it.
//
// Two processes could both bind so as long as neither listens. So a holder binds a second socket
// first, which no other process can have beside it (os/bound_socket.hpp).
class HeldPort {
 public:
  // Nothing if the port is taken. Throws Error if ports cannot be bound at all.
  static std::optional<HeldPort> hold(rendezvous::Port port, Admits admits = Admits::every_user);

  // A port that the kernel chooses. Nothing if no port is free.
  static std::optional<HeldPort> hold_free(Admits admits = Admits::every_user);

  [[nodiscard]] rendezvous::Port port() const { return port_; }

  // From now on the program that this process becomes holds the port as well.
  void keep_through_exec() const;

  // A second socket on the same port, listening, for the agents of the other nodes.
  [[nodiscard]] os::Descriptor listen() const;

  // Such a socket, kept here from now on until it is taken: nobody else can listen meanwhile.
  void keep_listening() { listener_ = listen(); }
  [[nodiscard]] os::Descriptor take_listener();

 private:
  static std::optional<HeldPort> hold_locked(rendezvous::Port port, Admits admits,
                                             os::Descriptor lock);
  HeldPort(rendezvous::Port port, bool v6, Admits admits, os::Descriptor lock,
           os::Descriptor socket);
  void admit() const;

  rendezvous::Port port_;
  bool v6_;
  Admits admits_;
  os::Descriptor lock_;
  os::Descriptor socket_;
  os::Descriptor listener_;
};

// The first candidate that can be held. Throws Error that names the owner of the port if it is
// visible.
HeldPort hold_first(const rendezvous::PortCandidates& candidates, const std::string& node);

// The first of these that can be held; finding none is not an error.
std::optional<HeldPort> hold_any(const std::vector<rendezvous::Port>& ports,
                                 Admits admits = Admits::every_user);

}  // namespace muster::port
