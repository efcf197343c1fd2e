#include "launcher/channel/listener.hpp"

#include "launcher/os/bound_socket.hpp"

#include <utility>

#include <netinet/in.h>
#include <sys/socket.h>

namespace muster::channel {
namespace {

constexpr int backlog = 4096;  // the kernel limits it to net.core.somaxconn

std::uint16_t port_of(const os::Descriptor& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  // The port is at the same offset in the IPv4 and IPv6 forms.
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Listener listen_on(std::uint16_t port, bool v6) {
  auto socket = os::bind_any_address(port, {.v6 = v6, .reuse_address = false});
  if (!socket || ::listen(socket.get(), backlog) != 0) return Listener();
  const auto actual = port_of(socket);
  return actual == 0 ? Listener() : Listener{std::move(socket), actual, v6};
}

Listener listen_on(std::uint16_t port) {
  auto listener = listen_on(port, true);
  return listener.socket ? std::move(listener) : listen_on(port, false);
}

}  // namespace

Listener listen(const std::optional<option::PortRange>& ports) {
  if (!ports) return listen_on(0);
  for (unsigned port = ports->first; port <= ports->last; ++port) {
    auto listener = listen_on(static_cast<std::uint16_t>(port));
    if (listener.socket) return listener;
  }
  return Listener();
}

Listener listen(const std::vector<std::uint16_t>& ports) {
  for (const auto port : ports) {
    auto listener = listen_on(port);
    if (listener.socket) return listener;
  }
  return listen_on(0);
}

}  // namespace muster::channel
