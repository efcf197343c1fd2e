// Where members connect: admits those that prove the step's key, and limits the others.
#pragma once

#include "launcher/agent/rendezvous/handshake.hpp"
#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <functional>
#include <list>
#include <memory>

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

namespace muster::rendezvous {

class Reception {
 public:
  // Attends to a member; ends with its connection.
  using Attend = std::function<asio::awaitable<void>(std::shared_ptr<Session>, Hello)>;

  Reception(asio::io_context& io, const secret::Key& key, std::size_t nodes, Attend attend);

  // Besides `members` that remain connected, admits `passing` others and as many unauthenticated connections;
  // all further ones wait to be accepted.
  void expect(std::size_t members, std::size_t passing) {
    expected_ = members;
    passing_ = passing;
  }

  void open(os::Descriptor listener);
  void close();

 private:
  asio::awaitable<void> accept_members();
  asio::awaitable<void> receive(asio::ip::tcp::socket socket);
  asio::awaitable<std::optional<Hello>> authenticate(std::shared_ptr<Session> session);
  asio::awaitable<void> wait_for_room();
  void evict();

  asio::io_context& io_;
  secret::Key key_;
  std::size_t nodes_;
  Attend attend_;
  std::size_t expected_ = 0;
  std::size_t passing_ = 1;
  std::size_t attended_ = 0;
  asio::ip::tcp::acceptor acceptor_;

  struct Unauthenticated {
    std::shared_ptr<Session> session;
    std::chrono::steady_clock::time_point since;
  };
  std::list<Unauthenticated> unauthenticated_;  // oldest first
};

}  // namespace muster::rendezvous
