// How a guest finds the host's agent: at the address that Slurm knows, or, where nothing answers
// there, at the addresses that the host's agent has told the supervisor.
#pragma once

#include "launcher/channel/message.hpp"
#include "launcher/rendezvous/rendezvous.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

namespace muster::agent {

using std::chrono::milliseconds;

// A conversation with the host that has begun.
struct Met {
  asio::ip::tcp::socket socket;
  channel::Proof proof;
  asio::ip::address address;  // of the host, as this node sees it
  std::string welcome;
};

class Search {
 public:
  Search(asio::io_context& io, const Gathering& gathering, const std::vector<Port>& ports,
         WayToHost way);

  // Nothing when the host cannot be found; failure() says why.
  asio::awaitable<std::optional<Met>> find();

  [[nodiscard]] const std::string& failure() const { return failure_; }

  // By place: no error where it leads to the host's agent.
  asio::awaitable<std::vector<asio::error_code>> reach(Places places);

  // The line for the user.
  [[nodiscard]] std::string cannot_reach(const asio::ip::tcp::endpoint& place,
                                         const asio::error_code& error) const;

 private:
  asio::awaitable<std::optional<Met>> try_known();
  asio::awaitable<std::optional<Met>> try_told();
  asio::awaitable<std::optional<Met>> greet(asio::ip::tcp::socket socket);
  asio::awaitable<bool> connects(asio::ip::tcp::socket& socket, asio::ip::tcp::endpoint endpoint);
  asio::awaitable<asio::error_code> check(asio::ip::tcp::endpoint endpoint);
  asio::awaitable<void> ask_where();
  asio::awaitable<void> sleep(milliseconds time);

  [[nodiscard]] bool should_ask() const;
  [[nodiscard]] bool hopeless() const;
  [[nodiscard]] bool unreachable() const;
  [[nodiscard]] std::string host_name() const;
  [[nodiscard]] std::string unreachable_text() const;
  [[nodiscard]] std::string absent_text() const;

  asio::io_context& io_;
  const Gathering& gathering_;
  const std::vector<Port>& ports_;
  WayToHost way_;
  Clock::time_point start_ = Clock::now();
  asio::steady_timer timer_;
  bool may_interrupt_ = false;  // the timer, when the supervisor has answered
  enum class Asked : std::uint8_t { no, waiting, answered, unanswered } asked_ = Asked::no;
  std::vector<asio::ip::tcp::endpoint> told_;
  bool told_in_vain_ = false;
  asio::ip::tcp::endpoint tried_;  // the last that failed, and why
  asio::error_code error_;
  std::string failure_;
};

}  // namespace muster::agent
