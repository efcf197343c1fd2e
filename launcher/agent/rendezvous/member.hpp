// A member's side of rendezvous.hpp.
#pragma once

#include "launcher/agent/rendezvous/find_leader.hpp"
#include "launcher/agent/rendezvous/node_report.hpp"
#include "launcher/agent/rendezvous/relay.hpp"
#include "launcher/agent/rendezvous/rendezvous.hpp"

#include <optional>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

namespace muster::rendezvous {

class Member {
 public:
  Member(asio::io_context& io, const RendezvousInputs& inputs, const std::vector<Port>& ports,
         const KnownAddress& way, std::string failure);

  // Its coroutines may outlive the call by seconds, so this object must live until `io` has ended.
  asio::awaitable<Outcome> attend();

 private:
  asio::awaitable<std::optional<Outcome>> take_part(std::shared_ptr<LeaderSession> leader);
  asio::awaitable<std::optional<Outcome>> take_part_at(Offer relay, Offer offer, NodeReport report);
  asio::awaitable<Outcome> wait_for_go(LeaderSession& session, Offer offer);
  asio::awaitable<Go> receive_go(LeaderSession& session);
  asio::awaitable<NodeReport> report_on(Offer offer, asio::ip::address leader);
  asio::awaitable<NodeReport> check(Offer offer);
  asio::awaitable<Outcome> give_up(std::string why);
  [[nodiscard]] Outcome failed(std::string why) const;
  [[nodiscard]] std::string lost_text() const;
  [[nodiscard]] const std::string& leader_name() const;

  asio::io_context& io_;
  const RendezvousInputs& inputs_;
  const std::vector<Port>& ports_;
  std::string failure_;
  asio::steady_timer timer_;
  LeaderSearch search_;
  std::optional<Relay> relay_;
};

}  // namespace muster::rendezvous
