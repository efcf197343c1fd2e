#include "launcher/os/bound_socket.hpp"

#include <utility>

#include <netinet/in.h>
#include <sys/socket.h>

namespace muster::os {
namespace {

void set(const Descriptor& socket, int level, int option, int value) {
  setsockopt(socket.get(), level, option, &value, sizeof value);
}

int bind_v6(const Descriptor& socket, std::uint16_t port) {
  set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_port = htons(port);
  return bind(socket.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any);
}

int bind_v4(const Descriptor& socket, std::uint16_t port) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(port);
  return bind(socket.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any);
}

}  // namespace

Descriptor bind_any_address(std::uint16_t port, PortUse use) {
  Descriptor socket(::socket(use.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return socket;
  if (use.reuse_address) set(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  const int failed = use.v6 ? bind_v6(socket, port) : bind_v4(socket, port);
  return failed == 0 ? std::move(socket) : Descriptor();
}

}  // namespace muster::os
