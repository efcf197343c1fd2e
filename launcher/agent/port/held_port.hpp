// A port for the ranks, held on the node of rank 0 from before the first task starts until the step ends.
#pragma once

#include "core/rendezvous/endpoint.hpp"
#include "launcher/os/descriptor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::rendezvous {
struct PortCandidates;
}

namespace muster::port {

// Whose server may listen on a held port.
enum class Admits : std::uint8_t {
  every_user,  // with SO_REUSEADDR, as TCPStore and gRPC do; listener_watch.hpp checks whose server it is
  own_user,  // with SO_REUSEPORT, as the worker library does; the kernel refuses all others
};

// Bound but not listening, with SO_REUSEADDR or SO_REUSEPORT: no other process can hold the port or get it
// as an ephemeral one, but the step's server can listen on it.
//
// Two processes could both bind the port this way until one of them listens. So a holder first binds a second
// socket, which excludes every other process (os/bound_socket.hpp).
class HeldPort {
 public:
  // No value if the port is taken. Throws Error if ports cannot be bound at all.
  static std::optional<HeldPort> hold(rendezvous::Port port, Admits admits = Admits::every_user);

  // A port that the kernel chooses. No value if no port is free.
  static std::optional<HeldPort> hold_free(Admits admits = Admits::every_user);

  [[nodiscard]] rendezvous::Port port() const { return port_; }

  // Keeps the port held even when this process becomes another program through exec.
  void keep_through_exec() const;

  // A second socket on the same port, which listens, for the agents of the other nodes.
  [[nodiscard]] os::Descriptor listen() const;

  // Opens such a socket and keeps it here until it is taken, so that no other process can listen in the
  // meantime.
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

// Holds the first candidate that is free. Throws Error, which names the port's owner if that is visible.
HeldPort hold_first(const rendezvous::PortCandidates& candidates, const std::string& node);

// Holds the first of these ports that is free; finding none is not an error.
std::optional<HeldPort> hold_any(const std::vector<rendezvous::Port>& ports,
                                 Admits admits = Admits::every_user);

}  // namespace muster::port
