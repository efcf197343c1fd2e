#include "launcher/port/held_port.hpp"

#include "core/error.hpp"
#include "launcher/os/bound_socket.hpp"
#include "launcher/port/owner.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace muster::port {
namespace {

constexpr int backlog = 4096;  // the kernel cuts it to net.core.somaxconn

// Two holders could both bind with SO_REUSEADDR as long as neither listens. An abstract socket name
// is exclusive in this network namespace and ends with its process.
os::Descriptor lock_port(rendezvous::Port port) {
  os::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto name = fmt::format("muster/port/{}", port);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const bool locked =
      socket && bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0;
  return locked ? std::move(socket) : os::Descriptor();
}

os::Descriptor bound(rendezvous::Port port, bool v6) {
  return os::bind_any_address(port, {.v6 = v6, .reuse_address = true});
}

[[noreturn]] void fail_all_taken(const rendezvous::PortCandidates& candidates,
                                 const std::string& node) {
  const auto port = candidates.ports.front();
  const auto what = candidates.ports.size() == 1
                        ? fmt::format("port {} ({}) on {} is taken", port, candidates.source, node)
                        : fmt::format("all {} ports tried from {} on {} are taken, the first",
                                      candidates.ports.size(), candidates.source, node);
  throw Error(fmt::format("{}{}; set port=A-B, or MpiParams=ports= in slurm.conf", what,
                          describe_owner(port)));
}

}  // namespace

HeldPort::HeldPort(rendezvous::Port port, bool v6, os::Descriptor lock, os::Descriptor socket)
    : port_(port), v6_(v6), lock_(std::move(lock)), socket_(std::move(socket)) {}

std::optional<HeldPort> HeldPort::hold(rendezvous::Port port) {
  auto lock = lock_port(port);
  if (!lock) return std::nullopt;
  for (const bool v6 : {true, false}) {
    auto socket = bound(port, v6);
    if (socket) {
      HeldPort held(port, v6, std::move(lock), std::move(socket));
      // A bound port is not enough: another server may listen there with SO_REUSEADDR on one
      // address.
      if (!held.listen()) return std::nullopt;
      return held;
    }
    if (errno == EADDRINUSE) return std::nullopt;
    // EAFNOSUPPORT and the like: a node without IPv6.
  }
  throw Error(fmt::format("cannot bind port {}: {}", port, std::strerror(errno)));
}

void HeldPort::keep_through_exec() const {
  for (const auto* const each : {&lock_, &socket_}) fcntl(each->get(), F_SETFD, 0);
}

os::Descriptor HeldPort::listen() const {
  auto socket = bound(port_, v6_);
  if (socket && ::listen(socket.get(), backlog) == 0) return socket;
  return os::Descriptor();
}

HeldPort hold_first(const rendezvous::PortCandidates& candidates, const std::string& node) {
  for (const auto port : candidates.ports) {
    if (auto held = HeldPort::hold(port)) return std::move(*held);
  }
  fail_all_taken(candidates, node);
}

std::optional<HeldPort> hold_any(const std::vector<rendezvous::Port>& ports) {
  for (const auto port : ports) {
    if (auto held = HeldPort::hold(port)) return held;
  }
  return std::nullopt;
}

}  // namespace muster::port
