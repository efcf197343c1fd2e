// Reads pieces of known length from a socket, with a deadline, through a small buffer.
#pragma once

#include "worker/tcp/socket.hpp"

#include <array>

namespace muster::worker::tcp {

// The other end has closed the connection, or the connection is broken.
class Gone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The deadline has passed.
class TooLate : public std::runtime_error {
 public:
  TooLate() : std::runtime_error("too late") {}
};

// Reads ahead, so only one Reader may ever read a connection.
class Reader {
 public:
  explicit Reader(const Socket& socket) : socket_(socket) {}

  // Throws Gone or TooLate.
  void read(std::span<std::byte> into, Deadline::Clock::time_point until);
  Bytes read(std::size_t bytes, Deadline::Clock::time_point until);

 private:
  std::size_t fill(std::span<std::byte> into, Deadline::Clock::time_point until);

  const Socket& socket_;
  std::array<std::byte, 4096> buffer_{};
  View ahead_;  // the part of the buffer that is not yet read
};

}  // namespace muster::worker::tcp
