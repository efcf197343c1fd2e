// Passes connections on to a server that may move: those who connect here keep the address that they have.
//
//   rank ----> the port here ----> the server's place now
//
// A connection waits for a server that is not there yet, and ends when the server moves.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

namespace muster::groups {

class Relay {
 public:
  struct Limits {
    std::size_t connections = 4096;
    std::chrono::milliseconds wait{60'000};  // for a server
  };

  // `listener` is listening.
  Relay(asio::io_context& io, os::Descriptor listener, Limits limits);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  // No value: there is no server for now. Ends the connections to the server before.
  void move_to(std::optional<asio::ip::tcp::endpoint> server);

  // When the server, or the one before it, last sent something.
  [[nodiscard]] std::chrono::steady_clock::time_point last_word() const { return last_word_; }

 private:
  class Connection;

  void accept();
  void accept_later();
  void end_all();

  asio::io_context& io_;
  const Limits limits_;
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::optional<asio::ip::tcp::endpoint> server_;
  std::chrono::steady_clock::time_point last_word_ = std::chrono::steady_clock::time_point::min();
  std::set<std::shared_ptr<Connection>> connections_;
};

}  // namespace muster::groups
