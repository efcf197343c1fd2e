// How a member finds the leader's agent: at the address that Slurm knows or, if nothing answers there, at
// the addresses that the leader's agent has sent to the supervisor.
#pragma once

#include "launcher/agent/rendezvous/handshake.hpp"
#include "launcher/agent/rendezvous/rendezvous.hpp"
#include "launcher/channel/message.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

namespace muster::rendezvous {

using std::chrono::milliseconds;

// An open session with the leader.
struct LeaderSession {
  asio::ip::tcp::socket socket;
  channel::Proof proof;
  asio::ip::address address;  // the leader's, as seen from this node
  std::string welcome;
};

class LeaderSearch {
 public:
  LeaderSearch(asio::io_context& io, const RendezvousInputs& inputs, const std::vector<Port>& ports,
               KnownAddress way);

  // No value if the leader cannot be found; failure() says why. Called again if the leader sent this member
  // to a relay that did not work.
  asio::awaitable<std::optional<LeaderSession>> find();

  // Connects to the relay that the leader named; no value if the relay does not answer.
  asio::awaitable<std::optional<LeaderSession>> find_relay(Offer relay);

  [[nodiscard]] const std::string& failure() const { return failure_; }

  // One result per address: no error if the address leads to the leader's agent.
  asio::awaitable<std::vector<asio::error_code>> reach(Offer offer);

  // The line for the user.
  [[nodiscard]] std::string cannot_reach(const asio::ip::tcp::endpoint& endpoint,
                                         const asio::error_code& error) const;

 private:
  struct Checks;

  asio::awaitable<std::optional<LeaderSession>> try_known(std::size_t count);  // ports
  asio::awaitable<std::optional<LeaderSession>> try_announced();
  asio::awaitable<std::optional<LeaderSession>> greet(asio::ip::tcp::socket socket);
  asio::awaitable<bool> connects(asio::ip::tcp::socket& socket, asio::ip::tcp::endpoint endpoint);
  asio::awaitable<asio::error_code> check(asio::ip::tcp::endpoint endpoint);
  asio::awaitable<void> ask_where();
  asio::awaitable<void> sleep(milliseconds time);
  asio::awaitable<void> take_turn();

  [[nodiscard]] milliseconds crowd() const;
  [[nodiscard]] bool should_ask() const;
  [[nodiscard]] bool hopeless() const;
  [[nodiscard]] bool unreachable() const;
  [[nodiscard]] std::string leader_name() const;
  [[nodiscard]] std::string unreachable_text() const;
  [[nodiscard]] std::string absent_text() const;

  asio::io_context& io_;
  const RendezvousInputs& inputs_;
  const std::vector<Port>& ports_;
  KnownAddress way_;
  Clock::time_point start_ = Clock::now();
  asio::steady_timer timer_;
  bool may_interrupt_ = false;  // the supervisor's answer may cancel the timer
  enum class Asked : std::uint8_t { no, waiting, answered, unanswered } asked_ = Asked::no;
  std::vector<asio::ip::tcp::endpoint> announced_;
  bool announced_in_vain_ = false;
  asio::ip::tcp::endpoint tried_;  // the last endpoint that failed, and why
  asio::error_code error_;
  std::string failure_;
  unsigned attempt_ = 0;  // how many relays this node has looked for
};

}  // namespace muster::rendezvous
