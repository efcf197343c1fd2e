// A TCP socket that closes itself, never blocks, and is inherited by no other program.
#pragma once

#include "worker/deadline.hpp"
#include "worker/tcp/bytes.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/uio.h>

namespace muster::worker::tcp {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket() { close(); }

  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void close();

 private:
  int fd_ = -1;
};

// A numeric address and a port.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};
// Without the port: "10.0.0.1", "fd00::1".
std::string host_of(const SocketAddress& address);

// The outcome of a read or a write that never blocks.
enum class Flow : std::uint8_t { some, later, ended, broken };
struct Moved {
  Flow flow = Flow::later;
  std::size_t bytes = 0;
  int error = 0;  // errno if broken
};

Moved receive(const Socket& socket, std::span<std::byte> into);
Moved send(const Socket& socket, View bytes);
Moved send(const Socket& socket, std::span<iovec> parts);

// Listens on a port of every address, IPv6 and IPv4, even if the launcher's agent holds the port bound for
// this user's processes (SO_REUSEPORT). Throws Error; `where_from` says where the port comes from.
Socket listen_at(std::uint16_t port, const std::string& where_from);

// No socket if no connection is waiting (`error` is 0), or if none can be accepted (`error` says why).
struct Accepted {
  Socket socket;
  SocketAddress from;
  int error = 0;
};
Accepted accept_one(const Socket& listener);
// Moves the socket to the next free number from `lowest` on; keeps its number if none is free.
Socket renumbered(Socket socket, int lowest);

// A socket that is connecting or connected; broken if that failed immediately.
struct Connecting {
  Socket socket;
  int error = 0;
};
Connecting start_connecting(const SocketAddress& address);
// Call it when the socket has become writable. Returns 0, or why it is not connected.
int connect_result(const Socket& socket);

enum class Wish : std::uint8_t { read, write, both };
enum class Ready : std::uint8_t { readable, writable, too_late };
// Waits until the wanted operation is possible, preferring reads, or until the time `until`. On a broken
// connection every operation counts as possible: the read or write then reports what is wrong.
Ready wait_for(const Socket& socket, Wish wish, Deadline::Clock::time_point until);

// For poll() and epoll_wait(): rounded up, never negative.
int milliseconds_until(Deadline::Clock::time_point until);

std::string error_text(int error);

}  // namespace muster::worker::tcp
