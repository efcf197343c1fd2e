#include "launcher/agent/rendezvous/find_leader.hpp"

#include "core/layout/layout.hpp"
#include "core/text/amounts.hpp"
#include "launcher/channel/async_client.hpp"
#include "launcher/channel/connect_any.hpp"
#include "launcher/channel/timed.hpp"

#include <algorithm>
#include <memory>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <fmt/format.h>

namespace muster::rendezvous {
namespace {

using namespace asio::experimental::awaitable_operators;
using asio::ip::tcp;
using channel::before;
using channel::Proof;
using channel::receive_message;

constexpr milliseconds connect_timeout{1000};  // after that, asks the supervisor
constexpr milliseconds announced_timeout{
    2000};                                   // for any of the addresses that the supervisor gave
constexpr milliseconds probe_timeout{1500};  // for each address at which the ranks may rendezvous
constexpr milliseconds unanswered_timeout{3000};  // even if the supervisor is silent
constexpr milliseconds alone_timeout{5000};       // if there is no supervisor to ask
constexpr milliseconds greeting_timeout{
    2000};  // until the first message: another program's server sends none
constexpr milliseconds first_interval{2};  // the leader's agent starts at the same time as ours
constexpr milliseconds max_interval{200};
// The leader listens on the first port unless another program has it, so only every fourth round tries all of
// them.
constexpr unsigned full_round = 4;

// The members of a huge step take turns. A turn is about as long as the leader needs for one member.
constexpr std::size_t small_step = 256;  // nodes
constexpr std::chrono::microseconds turn{50};

// "Refused" means that the leader does not listen yet; waiting helps with no other error.
bool stays_so(const asio::error_code& error) {
  return error && error != asio::error::connection_refused &&
         error != asio::error::connection_reset && error != asio::error::connection_aborted;
}

// Some addresses are the same on every node, such as that of a container bridge.
bool is_own(const asio::ip::address& address) {
  return !address.is_loopback() && !interface_with(os::interfaces(), address).empty();
}

asio::awaitable<std::string> introduce(tcp::socket& socket, channel::Proof& proof, Hello hello) {
  proof.theirs = co_await receive_message(socket, proof, "challenge");
  proof.mine = channel::make_nonce();
  co_await channel::send_message(socket, proof, "hello", proof.mine + to_text(hello));
  co_return co_await receive_message(socket, proof, "welcome");
}

// Asks whether the leader is there; the answer cannot be a replay.
asio::awaitable<std::string> connect_and_probe(tcp::socket& socket, tcp::endpoint endpoint,
                                               channel::Proof& proof, layout::NodeIndex node) {
  co_await socket.async_connect(endpoint, asio::use_awaitable);
  co_return co_await introduce(socket, proof, {.node = node, .attempt = 0, .probe = true});
}

}  // namespace

LeaderSearch::LeaderSearch(asio::io_context& io, const RendezvousInputs& inputs,
                           const std::vector<Port>& ports, KnownAddress way)
    : io_(io), inputs_(inputs), ports_(ports), way_(std::move(way)), timer_(io) {}

asio::awaitable<std::optional<LeaderSession>> LeaderSearch::find() {
  co_await take_turn();
  auto interval = first_interval;
  for (unsigned round = 1; Clock::now() < inputs_.deadline; ++round) {
    std::optional<LeaderSession> met;
    if (announced_.empty()) {
      met = co_await try_known(round % full_round == 0 ? ports_.size() : 1);
    } else {
      met = co_await try_announced();
    }
    if (met) co_return met;
    if (should_ask()) {
      asked_ = Asked::waiting;
      asio::co_spawn(io_, ask_where(), asio::detached);
    }
    if (hopeless()) {
      failure_ = unreachable_text();
      co_return std::nullopt;
    }
    co_await sleep(interval);
    interval = std::min(interval + (interval + milliseconds(1)) / 2, max_interval);
  }
  failure_ = absent_text();
  co_return std::nullopt;
}

asio::awaitable<std::optional<LeaderSession>> LeaderSearch::try_known(std::size_t count) {
  if (!way_.address) co_return std::nullopt;
  for (std::size_t i = 0; i < std::min(count, ports_.size()); ++i) {
    tcp::socket socket(io_);
    const tcp::endpoint endpoint(*way_.address, ports_[i]);
    if (co_await connects(socket, endpoint)) {
      auto met = co_await greet(std::move(socket));
      if (met) co_return met;
      count = ports_.size();  // another program has this port
    }
    if (unreachable() || !announced_.empty()) co_return std::nullopt;
  }
  co_return std::nullopt;
}

asio::awaitable<std::optional<LeaderSession>> LeaderSearch::try_announced() {
  auto connected = co_await channel::connect_any(announced_, announced_timeout);
  if (connected.socket) {
    asio::error_code gone;
    const auto endpoint = connected.socket->remote_endpoint(gone);
    auto met = co_await greet(std::move(*connected.socket));
    if (met) co_return met;
    // Reached another machine that has the same address.
    if (announced_.size() > 1) std::erase(announced_, endpoint);
    co_return std::nullopt;
  }
  tried_ = announced_.front();
  error_ = connected.errors.front();
  announced_in_vain_ = std::ranges::all_of(connected.errors, stays_so);
  co_return std::nullopt;
}

asio::awaitable<bool> LeaderSearch::connects(tcp::socket& socket, tcp::endpoint endpoint) {
  error_.clear();
  tried_ = endpoint;
  timer_.expires_after((inputs_.supervisor ? connect_timeout : alone_timeout) + crowd());
  may_interrupt_ = true;
  asio::error_code interrupted;
  auto result =
      co_await (socket.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, error_)) ||
                timer_.async_wait(asio::redirect_error(asio::use_awaitable, interrupted)));
  may_interrupt_ = false;
  if (result.index() == 1) error_ = asio::error::timed_out;
  co_return !error_;
}

// No value if the peer is not the leader's agent.
asio::awaitable<std::optional<LeaderSession>> LeaderSearch::greet(tcp::socket socket) {
  channel::Proof proof{.key = inputs_.key, .mine = {}, .theirs = {}};
  try {
    socket.set_option(tcp::no_delay(true));
    const auto address = socket.remote_endpoint().address();
    timer_.expires_after(greeting_timeout + crowd());
    auto welcome =
        co_await channel::before(timer_, introduce(socket, proof, {inputs_.node, attempt_, false}));
    if (welcome) {
      LeaderSession met{std::move(socket), proof, address, std::move(*welcome)};
      co_return met;
    }
  } catch (const std::exception&) {
    // It was another program's server.
  }
  co_return std::nullopt;
}

asio::awaitable<void> LeaderSearch::ask_where() {
  const auto answer =
      co_await channel::async_ask(inputs_.supervisor, "where", "", inputs_.deadline);
  const auto offer = answer ? offer_from_text(*answer) : std::nullopt;
  asked_ = offer ? Asked::answered : Asked::unanswered;
  if (!offer) co_return;
  for (const auto& address : offer->addresses) {
    if (!is_own(address)) announced_.emplace_back(address, offer->port);
  }
  if (announced_.empty()) asked_ = Asked::unanswered;
  if (may_interrupt_) timer_.cancel();
}

asio::awaitable<void> LeaderSearch::sleep(milliseconds time) {
  asio::error_code interrupted;
  timer_.expires_after(time);
  may_interrupt_ = true;
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, interrupted));
  may_interrupt_ = false;
}

// How much of the leader's time all members of the step need together.
milliseconds LeaderSearch::crowd() const {
  const auto nodes = inputs_.layout.nodes.size();
  if (nodes <= small_step) return milliseconds(0);
  return std::chrono::ceil<milliseconds>(2 * turn * nodes);
}

// Waits only before the first attempt.
asio::awaitable<void> LeaderSearch::take_turn() {
  if (attempt_ > 0 || inputs_.layout.nodes.size() <= small_step) co_return;
  co_await sleep(std::chrono::ceil<milliseconds>(turn * inputs_.node));
  start_ = Clock::now();
}

asio::awaitable<std::optional<LeaderSession>> LeaderSearch::find_relay(Offer relay) {
  ++attempt_;
  const auto own = os::interfaces();
  std::vector<tcp::endpoint> endpoints;
  for (const auto& address : relay.addresses) {
    const bool is_ours = !address.is_loopback() && !interface_with(own, address).empty();
    if (!is_ours) endpoints.emplace_back(address, relay.port);
  }
  auto connected = co_await channel::connect_any(std::move(endpoints), announced_timeout);
  if (!connected.socket) co_return std::nullopt;
  co_return co_await greet(std::move(*connected.socket));
}

bool LeaderSearch::should_ask() const {
  const bool in_vain =
      !way_.address || unreachable() || Clock::now() - start_ > connect_timeout + crowd();
  return inputs_.supervisor && asked_ == Asked::no && in_vain;
}

bool LeaderSearch::hopeless() const {
  const bool none = !way_.address || unreachable();
  switch (asked_) {
    case Asked::no:
      return none && !inputs_.supervisor;
    case Asked::waiting:
      return false;
    case Asked::unanswered:
      return none && Clock::now() - start_ > unanswered_timeout;
    case Asked::answered:
      return announced_in_vain_;
  }
  return false;
}

bool LeaderSearch::unreachable() const {
  return stays_so(error_);
}

std::string LeaderSearch::leader_name() const {
  return inputs_.layout.nodes[inputs_.layout.node_of_task.front()];
}

// A check without an answer counts as failed. Shared with the handlers of the checks: if this process
// stalls, all timers expire together, and a waiting coroutine may end before the checks that it waits for.
struct LeaderSearch::Checks {
  Checks(asio::io_context& io, std::size_t count)
      : errors(count, asio::error::timed_out),
        left(count),
        done(io, asio::steady_timer::time_point::max()) {}

  void ended(std::size_t index, const asio::error_code& error) {
    errors[index] = error;
    if (--left == 0) done.cancel();
  }

  std::vector<asio::error_code> errors;
  std::size_t left;
  asio::steady_timer done;
};

asio::awaitable<std::vector<asio::error_code>> LeaderSearch::reach(Offer offer) {
  const auto checks = std::make_shared<Checks>(io_, offer.addresses.size());
  for (std::size_t i = 0; i < offer.addresses.size(); ++i) {
    asio::co_spawn(io_, check({offer.addresses[i], offer.port}),
                   [checks, i](const std::exception_ptr& thrown, asio::error_code error) {
                     checks->ended(i, thrown ? asio::error::fault : error);
                   });
  }
  // Each check has its own time limit.
  asio::error_code interrupted;
  if (checks->left > 0)
    co_await checks->done.async_wait(asio::redirect_error(asio::use_awaitable, interrupted));
  co_return checks->errors;
}

// Makes the leader's agent prove its identity.
asio::awaitable<asio::error_code> LeaderSearch::check(tcp::endpoint endpoint) {
  if (is_own(endpoint.address())) co_return asio::error::host_unreachable;
  asio::error_code error;
  tcp::socket socket(io_);
  asio::steady_timer limit(io_, probe_timeout);
  channel::Proof proof{.key = inputs_.key, .mine = {}, .theirs = {}};
  try {
    auto word =
        co_await channel::before(limit, connect_and_probe(socket, endpoint, proof, inputs_.node));
    if (!word) error = asio::error::timed_out;
  } catch (const std::system_error& failed) {
    error = failed.code();
  } catch (const std::exception&) {
    error = asio::error::connection_refused;  // another program's server
  }
  co_return error;
}

std::string LeaderSearch::cannot_reach(const tcp::endpoint& endpoint,
                                       const asio::error_code& error) const {
  const auto interface = interface_towards(os::interfaces(), endpoint.address());
  return fmt::format(
      "{} cannot reach {} at {} port {} through {}: {}; use network= to name a network that both "
      "nodes share, or open the port",
      inputs_.layout.nodes[inputs_.node], leader_name(), endpoint.address().to_string(),
      endpoint.port(), interface.empty() ? "any interface" : interface, error.message());
}

std::string LeaderSearch::unreachable_text() const {
  return way_.address || !announced_.empty() ? cannot_reach(tried_, error_) : way_.why;
}

std::string LeaderSearch::absent_text() const {
  return fmt::format(
      "no agent answered on {} ({}, {} tried) in time (gather_timeout); "
      "does slurmd there have muster.so in its plugstack.conf?",
      leader_name(), way_.address ? way_.address->to_string() : way_.why,
      text::count(ports_.size(), "port"));
}

}  // namespace muster::rendezvous
