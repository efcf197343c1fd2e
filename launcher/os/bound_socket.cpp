#include "launcher/os/bound_socket.hpp"

#include <utility>

#include <netinet/in.h>
#include <sys/socket.h>

namespace muster::os {
namespace {

constexpr in_addr_t exclusive_address = 0x7f6d7374;  // 127.109.115.116: no program connects there

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

int bind_v4(const Descriptor& socket, std::uint16_t port, in_addr_t address = INADDR_ANY) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(address);
  return bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name);
}

}  // namespace

Descriptor bind_any_address(std::uint16_t port, PortUse use) {
  Descriptor socket(::socket(use.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return socket;
  if (use.reuse_address) allow_reuse(socket);
  if (use.reuse_port) set(socket, SOL_SOCKET, SO_REUSEPORT, 1);
  const int failed = use.v6 ? bind_v6(socket, port) : bind_v4(socket, port);
  return failed == 0 ? std::move(socket) : Descriptor();
}

Descriptor bind_exclusively(std::uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || bind_v4(socket, port, exclusive_address) != 0) return Descriptor();
  allow_reuse(socket);
  return socket;
}

void allow_reuse(const Descriptor& socket) {
  set(socket, SOL_SOCKET, SO_REUSEADDR, 1);
}

void allow_own_user(const Descriptor& socket) {
  set(socket, SOL_SOCKET, SO_REUSEPORT, 1);
  set(socket, SOL_SOCKET, SO_REUSEADDR, 0);
}

std::uint16_t bound_port(const Descriptor& socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0) return 0;
  const bool v6 = name.ss_family == AF_INET6;
  return ntohs(v6 ? reinterpret_cast<const sockaddr_in6*>(&name)->sin6_port
                  : reinterpret_cast<const sockaddr_in*>(&name)->sin_port);
}

}  // namespace muster::os
