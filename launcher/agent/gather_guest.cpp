// A guest's side of gather.hpp.
#include "channel/deadline.hpp"
#include "channel/message.hpp"
#include "gather.hpp"
#include "gather_report.hpp"

#include <charconv>
#include <future>

#include <asio/co_spawn.hpp>
#include <asio/connect.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/io_context.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>
#include <fmt/format.h>

namespace muster::agent {
namespace {

using namespace asio::experimental::awaitable_operators;
using asio::ip::tcp;
using channel::before;
using channel::make_nonce;
using channel::Proof;
using channel::receive_message;
using channel::send_message;
using std::chrono::milliseconds;

constexpr milliseconds patience{5000};  // for a connection
constexpr milliseconds probe{3000};     // less than the host waits for the word that we are ready
constexpr milliseconds greeting{2000};  // for the first words: a stranger's server has none
constexpr milliseconds first_pause{2};  // the host's agent starts at the same time as ours
constexpr milliseconds longest_pause{200};

class Guest {
 public:
  Guest(const Gathering& gathering, const std::vector<Port>& ports, asio::ip::address host,
        std::string trouble)
      : gathering_(gathering),
        ports_(ports),
        host_(std::move(host)),
        trouble_(std::move(trouble)),
        timer_(io_) {}

  Outcome run() {
    auto result = asio::co_spawn(io_, attend(), asio::use_future);
    io_.run();
    return result.get();
  }

 private:
  asio::awaitable<Outcome> attend() {
    auto pause = first_pause;
    while (Clock::now() < gathering_.deadline) {
      for (const auto port : ports_) {
        auto outcome = co_await try_port(port);
        if (outcome) co_return *outcome;
        if (unreachable()) co_return failed(unreachable_text(port));
      }
      timer_.expires_after(pause);
      co_await timer_.async_wait(asio::use_awaitable);
      pause = std::min(pause * 2, longest_pause);
    }
    co_return failed(absent_text());
  }

  // Nothing when the host's agent is not at this port, or not yet.
  asio::awaitable<std::optional<Outcome>> try_port(Port port) {
    tcp::socket socket(io_);
    if (!co_await connects(socket, {host_, port}, patience)) co_return std::nullopt;
    Proof proof{.key = gathering_.key, .mine = {}, .theirs = {}};
    std::string place;
    try {
      timer_.expires_after(greeting);
      auto met = co_await before(timer_, introduce(socket, proof));
      if (!met) co_return std::nullopt;
      place = *met;
    } catch (const std::exception&) {
      co_return std::nullopt;  // a stranger's server
    }
    co_return co_await wait_for_go(std::move(socket), proof, place);
  }

  asio::awaitable<bool> connects(tcp::socket& socket, tcp::endpoint endpoint, milliseconds time) {
    error_.clear();
    timer_.expires_after(time);
    auto result = co_await (
        socket.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, error_)) ||
        timer_.async_wait(asio::use_awaitable));
    if (result.index() == 1) error_ = asio::error::timed_out;
    co_return !error_;
  }

  asio::awaitable<std::string> introduce(tcp::socket& socket, Proof& proof) {
    socket.set_option(tcp::no_delay(true));
    proof.theirs = co_await receive_message(socket, proof, "challenge");
    proof.mine = make_nonce();
    co_await send_message(socket, proof, "hello", proof.mine + fmt::to_string(gathering_.node));
    co_return co_await receive_message(socket, proof, "welcome");
  }

  asio::awaitable<std::optional<Outcome>> wait_for_go(tcp::socket socket, Proof proof,
                                                      std::string place) {
    Outcome outcome;
    outcome.rendezvous = parse_place(place);
    auto trouble = trouble_;
    if (trouble.empty()) trouble = co_await check_reach(outcome.rendezvous);
    // A variable: GCC 12 destroys a braced temporary inside a co_await twice.
    const NodeReport report{trouble, gathering_.warnings};
    try {
      co_await send_message(socket, proof, "ready", to_text(report));
      timer_.expires_at(gathering_.deadline + patience);
      auto told = co_await before(timer_, receive_message(socket, proof, "go"));
      if (told) {
        outcome.failure = *told;
        outcome.told_by_other = true;
        co_return outcome;
      }
    } catch (const std::exception&) {
    }
    // The host is gone: its own node says why, if anything there still can.
    outcome.failure = trouble.empty() ? fmt::format(
                                            "lost the agent of {} before the step could "
                                            "start; look for its message above",
                                            host_name())
                                      : trouble;
    co_return outcome;
  }

  // The ranks will meet at another address than the one that led here (network=): is it open to us?
  asio::awaitable<std::string> check_reach(Rendezvous rendezvous) {
    const auto address = asio::ip::make_address(rendezvous.address);
    if (address == host_) co_return std::string();
    tcp::socket socket(io_);
    if (co_await connects(socket, {address, rendezvous.port}, probe)) co_return std::string();
    co_return cannot_reach(address, rendezvous.port);
  }

  static Rendezvous parse_place(const std::string& place) {
    Rendezvous rendezvous;
    const auto space = std::min(place.find(' '), place.size());
    rendezvous.address = place.substr(0, space);
    std::from_chars(place.data() + std::min(space + 1, place.size()), place.data() + place.size(),
                    rendezvous.port);
    return rendezvous;
  }

  // Refused means that nobody listens yet; anything else will not get better by waiting.
  [[nodiscard]] bool unreachable() const {
    return error_ && error_ != asio::error::connection_refused &&
           error_ != asio::error::connection_reset && error_ != asio::error::connection_aborted;
  }

  [[nodiscard]] std::string host_name() const {
    return gathering_.layout.nodes[gathering_.layout.node_of_task.front()];
  }

  [[nodiscard]] std::string cannot_reach(const asio::ip::address& address, Port port) const {
    const auto interface = interface_towards(interfaces(), address);
    return fmt::format(
        "{} cannot reach {} at {} port {} through {}: {}; name a network that both "
        "are on with network=, or open the port",
        gathering_.layout.nodes[gathering_.node], host_name(), address.to_string(), port,
        interface.empty() ? "any interface" : interface, error_.message());
  }

  [[nodiscard]] std::string unreachable_text(Port port) const { return cannot_reach(host_, port); }

  [[nodiscard]] std::string absent_text() const {
    return fmt::format(
        "no agent answered on {} ({}, {} ports tried) in time (gather_timeout); "
        "does slurmd there have muster.so in its plugstack.conf?",
        host_name(), host_.to_string(), ports_.size());
  }

  [[nodiscard]] Outcome failed(std::string why) const {
    Outcome outcome;
    outcome.failure = trouble_.empty() ? std::move(why) : trouble_;
    return outcome;
  }

  const Gathering& gathering_;
  const std::vector<Port>& ports_;
  asio::ip::address host_;
  std::string trouble_;
  asio::io_context io_{1};
  asio::steady_timer timer_;
  asio::error_code error_;
};

}  // namespace

Outcome join_gathering(const Gathering& gathering, const std::vector<Port>& ports,
                       const asio::ip::address& address, const std::string& trouble) {
  return Guest(gathering, ports, address, trouble).run();
}

}  // namespace muster::agent
