#include "listener.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::channel {
namespace {

constexpr int backlog = 4096;  // the kernel cuts it to net.core.somaxconn

Listener listen_on(std::uint16_t port, bool v6) {
  Listener listener;
  listener.v6 = v6;
  listener.socket = Descriptor(::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener.socket) return Listener();
  const int fd = listener.socket.get();
  sockaddr_in6 any6{};
  any6.sin6_family = AF_INET6;
  any6.sin6_port = htons(port);
  sockaddr_in any4{};
  any4.sin_family = AF_INET;
  any4.sin_port = htons(port);
  const int no = 0;
  if (v6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  auto* const address =
      v6 ? reinterpret_cast<sockaddr*>(&any6) : reinterpret_cast<sockaddr*>(&any4);
  auto size = static_cast<socklen_t>(v6 ? sizeof any6 : sizeof any4);
  if (bind(fd, address, size) != 0 || ::listen(fd, backlog) != 0) return Listener();
  if (getsockname(fd, address, &size) != 0) return Listener();
  listener.port = ntohs(v6 ? any6.sin6_port : any4.sin_port);
  return listener;
}

Listener listen_on(std::uint16_t port) {
  auto listener = listen_on(port, true);
  return listener.socket ? std::move(listener) : listen_on(port, false);
}

}  // namespace

Listener listen(const std::optional<PortRange>& ports) {
  if (!ports) return listen_on(0);
  for (unsigned port = ports->first; port <= ports->last; ++port) {
    auto listener = listen_on(static_cast<std::uint16_t>(port));
    if (listener.socket) return listener;
  }
  return Listener();
}

}  // namespace muster::channel
