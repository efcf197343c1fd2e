#include "launcher/agent/rendezvous/relay.hpp"

#include "core/contains.hpp"
#include "core/layout/layout.hpp"
#include "launcher/channel/listener.hpp"
#include "launcher/channel/timed.hpp"
#include "launcher/os/interfaces.hpp"

#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

namespace muster::rendezvous {
namespace {

using channel::before;

constexpr std::size_t passing = 256;  // unauthenticated connections
constexpr std::chrono::milliseconds report_interval{
    20};  // members that arrive within this time share one report

// Puts the address through which the leader sees this node first, followed by its other addresses.
Offer offer_of(const LeaderSession& leader, Port port) {
  const auto seen = local_address(leader.socket);
  auto addresses = node::node_addresses(os::interfaces(), {}, seen).all;
  std::erase(addresses, seen);
  addresses.insert(addresses.begin(), seen);
  if (addresses.size() > node::max_node_addresses) addresses.resize(node::max_node_addresses);
  return {.port = port, .addresses = std::move(addresses), .came = std::nullopt};
}

}  // namespace

Relay::Relay(asio::io_context& io, const RendezvousInputs& inputs,
             std::shared_ptr<LeaderSession> leader)
    : io_(io),
      inputs_(inputs),
      leader_(std::move(leader)),
      reception_(io, inputs.key, inputs.layout.nodes.size(),
                 [this](auto session, auto hello) { return attend(std::move(session), hello); }),
      sessions_(io) {}

asio::awaitable<bool> Relay::open(const std::vector<Port>& ports) {
  auto listener = channel::listen(ports);
  open_ = static_cast<bool>(listener.socket);
  Listening listening;
  if (open_) listening.offer = offer_of(*leader_, listener.port);
  RelayReport report = std::move(listening);
  co_await send(std::move(report));
  if (!open_) co_return false;
  reception_.expect(inputs_.layout.nodes.size(), passing);
  reception_.open(std::move(listener.socket));
  co_return true;
}

asio::awaitable<void> Relay::attend(std::shared_ptr<Session> session, Hello hello) {
  if (hello.probe) co_return;  // a probe is meant for the leader only
  asio::steady_timer limit(io_, message_timeout);
  std::string welcome;
  auto node = inputs_.layout.nodes[hello.node];
  auto report =
      co_await channel::before(limit, receive_ready(*session, std::move(welcome), std::move(node)));
  if (!report || !open_) co_return;
  sessions_.add(hello.node, session);
  joined_.insert_or_assign(hello.node, std::move(*report));
  if (!std::exchange(reporting_, true)) {
    asio::co_spawn(io_, report_joined(), asio::detached);
  }
}

asio::awaitable<void> Relay::report_joined() {
  asio::steady_timer timer(io_);
  try {
    while (!joined_.empty() && open_) {
      timer.expires_after(report_interval);
      co_await timer.async_wait(asio::use_awaitable);
      if (!open_) break;
      NodeReports some;
      for (std::size_t bytes = 0; !joined_.empty();) {
        bytes += to_text(joined_.begin()->second).size() + 32;
        if (bytes > max_report_bytes - 32 && !some.empty()) break;
        some.insert(joined_.extract(joined_.begin()));
      }
      RelayReport report = Joined{std::move(some)};
      co_await send(std::move(report));
    }
  } catch (const std::exception&) {
    // The leader is gone: the code that waits for its last message will notice.
  }
  reporting_ = false;
}

asio::awaitable<void> Relay::send(RelayReport report) {
  auto text = to_text(report);
  co_await channel::send_message(leader_->socket, leader_->proof, "report", std::move(text),
                                 max_report_bytes);
}

// The leader asks only once all have joined, so no report is still in flight.
asio::awaitable<void> Relay::check(Offer offer, NodeReport all) {
  asio::steady_timer done(io_, asio::steady_timer::time_point::max());
  sessions_.check(
      std::move(offer),
      [&](auto reached, auto unreached) {
        std::erase_if(all.reached, [&](auto index) { return !contains(reached, index); });
        if (all.warnings.empty()) all.warnings = std::move(unreached);
      },
      [&] { done.expires_at(asio::steady_timer::time_point::min()); });
  asio::error_code ended;
  co_await done.async_wait(asio::redirect_error(asio::use_awaitable, ended));
  RelayReport report = Reached{std::move(all)};
  co_await send(std::move(report));
}

asio::awaitable<void> Relay::dismiss(Go verdict) {
  open_ = false;
  reception_.close();
  asio::steady_timer done(io_, asio::steady_timer::time_point::max());
  sessions_.dismiss(verdict, [&] { done.expires_at(asio::steady_timer::time_point::min()); });
  asio::error_code ended;
  co_await done.async_wait(asio::redirect_error(asio::use_awaitable, ended));
}

}  // namespace muster::rendezvous
