// A member to which others connect instead of the leader.
#pragma once

#include "launcher/agent/rendezvous/find_leader.hpp"
#include "launcher/agent/rendezvous/reception.hpp"
#include "launcher/agent/rendezvous/sessions.hpp"

#include <memory>
#include <string>

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>

namespace muster::rendezvous {

class Relay {
 public:
  // `leader`: the session with the leader. A report may still be in flight when the caller receives the last
  // message.
  Relay(asio::io_context& io, const RendezvousInputs& inputs,
        std::shared_ptr<LeaderSession> leader);

  // Listens on one of these ports, or on any. Sends the leader the address, or the news that it cannot
  // listen.
  asio::awaitable<bool> open(const std::vector<Port>& ports);

  // Answers a check: the addresses that the relay and all its members can reach.
  asio::awaitable<void> check(Offer offer, NodeReport all);

  // The last message, which also applies to this node.
  asio::awaitable<void> dismiss(Go verdict);

 private:
  asio::awaitable<void> attend(std::shared_ptr<Session> session, Hello hello);
  asio::awaitable<void> report_joined();
  asio::awaitable<void> send(RelayReport report);

  asio::io_context& io_;
  const RendezvousInputs& inputs_;
  const std::shared_ptr<LeaderSession> leader_;
  Reception reception_;
  Sessions sessions_;
  NodeReports joined_;  // still to be reported
  bool reporting_ = false;
  bool open_ = false;
};

}  // namespace muster::rendezvous
