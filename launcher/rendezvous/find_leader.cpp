#include "launcher/rendezvous/find_leader.hpp"

#include "launcher/channel/connect_any.hpp"
#include "launcher/channel/timed.hpp"

#include <algorithm>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <fmt/format.h>

namespace muster::agent {
namespace {

using namespace asio::experimental::awaitable_operators;
using asio::ip::tcp;
using channel::before;
using channel::Proof;
using channel::receive_message;

constexpr milliseconds direct{1000};    // then the supervisor is asked
constexpr milliseconds last_try{2000};  // for any of the addresses that it has told
constexpr milliseconds probe{1500};     // for each address at which the ranks may meet
constexpr milliseconds enough{3000};    // where it is silent, too
constexpr milliseconds patience{5000};  // for a connection where there is no supervisor to ask
constexpr milliseconds greeting{2000};  // for the first words: a stranger's server has none
constexpr milliseconds first_pause{2};  // the host's agent starts at the same time as ours
constexpr milliseconds longest_pause{200};

// Refused means that nobody listens yet; anything else will not get better by waiting.
bool stays_so(const asio::error_code& error) {
  return error && error != asio::error::connection_refused &&
         error != asio::error::connection_reset && error != asio::error::connection_aborted;
}

// Some addresses are the same on every node, such as that of a bridge for containers.
bool is_own(const asio::ip::address& address) {
  return !address.is_loopback() && !interface_with(interfaces(), address).empty();
}

asio::awaitable<std::string> introduce(tcp::socket& socket, Proof& proof, NodeIndex node) {
  proof.theirs = co_await receive_message(socket, proof, "challenge");
  proof.mine = channel::make_nonce();
  co_await channel::send_message(socket, proof, "hello", proof.mine + fmt::to_string(node));
  co_return co_await receive_message(socket, proof, "welcome");
}

asio::awaitable<std::string> first_word(tcp::socket& socket, tcp::endpoint endpoint,
                                        const Proof& proof) {
  co_await socket.async_connect(endpoint, asio::use_awaitable);
  co_return co_await receive_message(socket, proof, "challenge");
}

}  // namespace

Search::Search(asio::io_context& io, const Gathering& gathering, const std::vector<Port>& ports,
               WayToHost way)
    : io_(io), gathering_(gathering), ports_(ports), way_(std::move(way)), timer_(io) {}

asio::awaitable<std::optional<Met>> Search::find() {
  auto pause = first_pause;
  while (Clock::now() < gathering_.deadline) {
    std::optional<Met> met;
    if (told_.empty()) {
      met = co_await try_known();
    } else {
      met = co_await try_told();
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
    co_await sleep(pause);
    pause = std::min(pause * 2, longest_pause);
  }
  failure_ = absent_text();
  co_return std::nullopt;
}

asio::awaitable<std::optional<Met>> Search::try_known() {
  if (!way_.address) co_return std::nullopt;
  for (const auto port : ports_) {
    tcp::socket socket(io_);
    const tcp::endpoint place(*way_.address, port);
    if (co_await connects(socket, place)) {
      auto met = co_await greet(std::move(socket));
      if (met) co_return met;
    }
    if (unreachable() || !told_.empty()) co_return std::nullopt;
  }
  co_return std::nullopt;
}

asio::awaitable<std::optional<Met>> Search::try_told() {
  auto connected = co_await channel::connect_any(told_, last_try);
  if (connected.socket) {
    asio::error_code gone;
    const auto place = connected.socket->remote_endpoint(gone);
    auto met = co_await greet(std::move(*connected.socket));
    if (met) co_return met;
    // Another machine that has this address, too.
    if (told_.size() > 1) std::erase(told_, place);
    co_return std::nullopt;
  }
  tried_ = told_.front();
  error_ = connected.errors.front();
  told_in_vain_ = std::ranges::all_of(connected.errors, stays_so);
  co_return std::nullopt;
}

asio::awaitable<bool> Search::connects(tcp::socket& socket, tcp::endpoint endpoint) {
  error_.clear();
  tried_ = endpoint;
  timer_.expires_after(gathering_.caller ? direct : patience);
  may_interrupt_ = true;
  asio::error_code interrupted;
  auto result =
      co_await (socket.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, error_)) ||
                timer_.async_wait(asio::redirect_error(asio::use_awaitable, interrupted)));
  may_interrupt_ = false;
  if (result.index() == 1) error_ = asio::error::timed_out;
  co_return !error_;
}

// Nothing when this is not the host's agent.
asio::awaitable<std::optional<Met>> Search::greet(tcp::socket socket) {
  Proof proof{.key = gathering_.key, .mine = {}, .theirs = {}};
  try {
    socket.set_option(tcp::no_delay(true));
    const auto address = socket.remote_endpoint().address();
    timer_.expires_after(greeting);
    auto welcome = co_await before(timer_, introduce(socket, proof, gathering_.node));
    if (welcome) {
      Met met{std::move(socket), proof, address, std::move(*welcome)};
      co_return met;
    }
  } catch (const std::exception&) {
    // A stranger's server.
  }
  co_return std::nullopt;
}

asio::awaitable<void> Search::ask_where() {
  const auto answer = co_await gathering_.caller.async_ask("where", "", gathering_.deadline);
  const auto places = answer ? places_from_text(*answer) : std::nullopt;
  asked_ = places ? Asked::answered : Asked::unanswered;
  if (!places) co_return;
  for (const auto& address : places->addresses) {
    if (!is_own(address)) told_.emplace_back(address, places->port);
  }
  if (told_.empty()) asked_ = Asked::unanswered;
  if (may_interrupt_) timer_.cancel();
}

asio::awaitable<void> Search::sleep(milliseconds time) {
  asio::error_code interrupted;
  timer_.expires_after(time);
  may_interrupt_ = true;
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, interrupted));
  may_interrupt_ = false;
}

bool Search::should_ask() const {
  const bool in_vain = !way_.address || unreachable() || Clock::now() - start_ > direct;
  return gathering_.caller && asked_ == Asked::no && in_vain;
}

bool Search::hopeless() const {
  const bool none = !way_.address || unreachable();
  switch (asked_) {
    case Asked::no:
      return none && !gathering_.caller;
    case Asked::waiting:
      return false;
    case Asked::unanswered:
      return none && Clock::now() - start_ > enough;
    case Asked::answered:
      return told_in_vain_;
  }
  return false;
}

bool Search::unreachable() const {
  return stays_so(error_);
}

std::string Search::host_name() const {
  return gathering_.layout.nodes[gathering_.layout.node_of_task.front()];
}

asio::awaitable<std::vector<asio::error_code>> Search::reach(Places places) {
  std::vector<asio::error_code> errors(places.addresses.size());
  std::size_t left = errors.size();
  // Each check is bounded, and before this: none is left behind.
  timer_.expires_after(2 * probe);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    asio::co_spawn(io_, check({places.addresses[i], places.port}),
                   [&, i](const std::exception_ptr& /*none*/, asio::error_code error) {
                     errors[i] = error;
                     if (--left == 0) timer_.cancel();
                   });
  }
  asio::error_code interrupted;
  if (left > 0) {
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, interrupted));
  }
  co_return errors;
}

// The host's agent proves itself by its first word.
asio::awaitable<asio::error_code> Search::check(tcp::endpoint endpoint) {
  if (is_own(endpoint.address())) co_return asio::error::host_unreachable;
  asio::error_code error;
  tcp::socket socket(io_);
  asio::steady_timer limit(io_, probe);
  const Proof proof{.key = gathering_.key, .mine = {}, .theirs = {}};
  try {
    auto word = co_await before(limit, first_word(socket, endpoint, proof));
    if (!word) error = asio::error::timed_out;
  } catch (const std::system_error& failed) {
    error = failed.code();
  } catch (const std::exception&) {
    error = asio::error::connection_refused;  // a stranger's server
  }
  co_return error;
}

std::string Search::cannot_reach(const tcp::endpoint& place, const asio::error_code& error) const {
  const auto interface = interface_towards(interfaces(), place.address());
  return fmt::format(
      "{} cannot reach {} at {} port {} through {}: {}; name a network that both are on with "
      "network=, or open the port",
      gathering_.layout.nodes[gathering_.node], host_name(), place.address().to_string(),
      place.port(), interface.empty() ? "any interface" : interface, error.message());
}

std::string Search::unreachable_text() const {
  return way_.address || !told_.empty() ? cannot_reach(tried_, error_) : way_.why;
}

std::string Search::absent_text() const {
  return fmt::format(
      "no agent answered on {} ({}, {} ports tried) in time (gather_timeout); "
      "does slurmd there have muster.so in its plugstack.conf?",
      host_name(), way_.address ? way_.address->to_string() : way_.why, ports_.size());
}

}  // namespace muster::agent
