#include "launcher/agent/port/held_port.hpp"

#include "core/error.hpp"
#include "core/rendezvous/port_candidates.hpp"
#include "launcher/agent/port/owner.hpp"
#include "launcher/os/bound_socket.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

namespace muster::port {
namespace {

constexpr int backlog = 4096;  // the kernel limits it to net.core.somaxconn

// A port that looks free may be taken at some address of this node.
constexpr int max_free_tries = 16;

[[noreturn]] void fail_all_taken(const rendezvous::PortCandidates& candidates,
                                 const std::string& node) {
  const auto port = candidates.ports.front();
  const auto owner = describe_owner(port);
  const auto what =
      candidates.ports.size() == 1
          ? fmt::format("port {} ({}) on {} is taken", port, candidates.source, node)
          : fmt::format("all {} ports tried from {} on {} are taken{}", candidates.ports.size(),
                        candidates.source, node, owner.empty() ? "" : ", the first");
  throw Error(fmt::format("{}{}; set port=A-B, or MpiParams=ports= in slurm.conf", what, owner));
}

}  // namespace

HeldPort::HeldPort(rendezvous::Port port, bool v6, Admits admits, os::Descriptor lock,
                   os::Descriptor socket)
    : port_(port), v6_(v6), admits_(admits), lock_(std::move(lock)), socket_(std::move(socket)) {}

std::optional<HeldPort> HeldPort::hold(rendezvous::Port port, Admits admits) {
  auto lock = os::bind_exclusively(port);
  if (!lock && errno == EADDRINUSE) return std::nullopt;
  return hold_locked(port, admits, std::move(lock));
}

std::optional<HeldPort> HeldPort::hold_free(Admits admits) {
  for (int i = 0; i < max_free_tries; ++i) {
    auto lock = os::bind_exclusively(0);
    if (!lock) break;
    const auto port = os::bound_port(lock);
    if (auto held = hold_locked(port, admits, std::move(lock))) return held;
  }
  return std::nullopt;
}

std::optional<HeldPort> HeldPort::hold_locked(rendezvous::Port port, Admits admits,
                                              os::Descriptor lock) {
  for (const bool v6 : {true, false}) {
    // On a node without the loopback network there is no lock, so the port itself is the lock.
    auto socket = os::bind_any_address(port, {.v6 = v6, .reuse_address = bool(lock)});
    if (socket) {
      HeldPort held(port, v6, admits, std::move(lock), std::move(socket));
      held.admit();
      // Binding the port is not enough: another server that uses SO_REUSEADDR may listen there on one
      // address.
      if (!held.listen()) return std::nullopt;
      return held;
    }
    if (errno == EADDRINUSE) return std::nullopt;
    // Failed, for example, with EAFNOSUPPORT on a node without IPv6.
  }
  throw Error(fmt::format("cannot bind port {}: {}", port, std::strerror(errno)));
}

// Both sockets were bound with no more than SO_REUSEADDR, even if only one user's servers are admitted. So
// earlier connections on that port in TIME_WAIT do not matter.
void HeldPort::admit() const {
  const auto allow = admits_ == Admits::own_user ? os::allow_own_user : os::allow_reuse;
  for (const auto* const each : {&lock_, &socket_}) allow(*each);
}

void HeldPort::keep_through_exec() const {
  for (const auto* const each : {&lock_, &socket_}) fcntl(each->get(), F_SETFD, 0);
}

os::Descriptor HeldPort::listen() const {
  auto socket = os::bind_any_address(
      port_, {.v6 = v6_, .reuse_address = true, .reuse_port = admits_ == Admits::own_user});
  if (socket && ::listen(socket.get(), backlog) == 0) return socket;
  return os::Descriptor();
}

os::Descriptor HeldPort::take_listener() {
  return listener_ ? std::move(listener_) : listen();
}

HeldPort hold_first(const rendezvous::PortCandidates& candidates, const std::string& node) {
  for (const auto port : candidates.ports) {
    if (auto held = HeldPort::hold(port)) return std::move(*held);
  }
  fail_all_taken(candidates, node);
}

std::optional<HeldPort> hold_any(const std::vector<rendezvous::Port>& ports, Admits admits) {
  for (const auto port : ports) {
    if (auto held = HeldPort::hold(port, admits)) return held;
  }
  return std::nullopt;
}

}  // namespace muster::port
