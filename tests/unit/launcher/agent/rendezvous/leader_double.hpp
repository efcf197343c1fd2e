// A leader that admits any client that proves the step's key, welcomes it, and waits until it hangs up.
#pragma once

#include "fixtures/loopback_server.hpp"
#include "launcher/agent/port/held_port.hpp"
#include "launcher/agent/rendezvous/reception.hpp"

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <asio/post.hpp>

namespace muster::rendezvous {

class LeaderDouble {
 public:
  LeaderDouble(const secret::Key& key, std::size_t nodes, std::size_t members, std::size_t passing)
      : reception_(io_, key, nodes,
                   [](std::shared_ptr<Session> session, Hello) -> asio::awaitable<void> {
                     co_await send_away(*session, "welcome");
                   }) {
    reception_.expect(members, passing);
    reception_.open(held_->listen());
    thread_ = std::thread([this] { io_.run(); });
  }
  LeaderDouble(const LeaderDouble&) = delete;
  LeaderDouble& operator=(const LeaderDouble&) = delete;
  ~LeaderDouble() {
    io_.stop();
    thread_.join();
  }

  [[nodiscard]] Port port() const { return held_->port(); }

 private:
  std::optional<port::HeldPort> held_ = port::HeldPort::hold(fixtures::free_port());
  asio::io_context io_{1};
  Reception reception_;
  std::thread thread_;
};

}  // namespace muster::rendezvous
