// TCP servers and clients on loopback, for the tests.
#pragma once

#include "agent/port.hpp"

#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::agent::test {

inline sockaddr_in loopback(Port port, const std::string& address = "127.0.0.1") {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  inet_pton(AF_INET, address.c_str(), &name.sin_addr);
  return name;
}

// A listening socket as a server makes it; empty when the port is taken.
inline Descriptor server(Port port, bool reuse_address, const std::string& address = "0.0.0.0") {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = reuse_address ? 1 : 0;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const auto name = loopback(port, address);
  const bool up = bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
                  listen(socket.get(), 16) == 0;
  return up ? std::move(socket) : Descriptor();
}

inline Descriptor client(Port port, const std::string& address = "127.0.0.1") {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto name = loopback(port, address);
  const bool up = connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
  return up ? std::move(socket) : Descriptor();
}

// A port that nobody has at the moment, below the range that the kernel gives out by itself.
inline Port free_port() {
  static Port next = static_cast<Port>(21'000 + getpid() % 5000);
  while (true) {
    ++next;
    if (HeldPort::hold(next)) return next;
  }
}

}  // namespace muster::agent::test
