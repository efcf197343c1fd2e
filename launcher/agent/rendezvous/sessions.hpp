// The members that stay connected to one node, either the leader's or a relay's, until they are dismissed.
#pragma once

#include "launcher/agent/rendezvous/handshake.hpp"
#include "launcher/agent/rendezvous/words.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

namespace muster::rendezvous {

inline constexpr std::size_t max_report_bytes = std::size_t{1} << 16;  // from a relay

// A relay's next message. Throws Error for one that cannot be read; `node`: the relay.
asio::awaitable<RelayReport> receive_report(Session& session, std::string node);

class Sessions {
 public:
  explicit Sessions(asio::io_context& io) : io_(io), timer_(io) {}

  void add(layout::NodeIndex node, std::shared_ptr<Session> session);
  void remove(layout::NodeIndex node) { sessions_.erase(node); }
  [[nodiscard]] bool has(layout::NodeIndex node) const { return sessions_.contains(node); }
  [[nodiscard]] std::size_t size() const { return sessions_.size(); }

  // Makes the members try all addresses. Passes on those that each one reaches, and a line for each of the
  // others.
  using OnReached = std::function<void(std::vector<std::size_t>, std::vector<std::string>)>;
  void check(Offer offer, OnReached reached, std::function<void()> done);

  // The last message: Meet or Stop.
  void dismiss(const Go& verdict, std::function<void()> done);

 private:
  asio::awaitable<void> check_next(OnReached reached, std::function<void()> done);
  asio::awaitable<void> check(std::shared_ptr<Session> session, OnReached reached);
  asio::awaitable<void> let_go(std::shared_ptr<Session> session, std::string verdict);
  void finish_dismissal();

  asio::io_context& io_;
  asio::steady_timer timer_;
  std::map<layout::NodeIndex, std::shared_ptr<Session>> sessions_;
  std::vector<std::shared_ptr<Session>> unchecked_;
  std::string order_;
  std::size_t left_ = 0;
  std::function<void()> dismissed_;
};

}  // namespace muster::rendezvous
