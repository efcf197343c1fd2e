#include "launcher/agent/rendezvous/member.hpp"

#include "core/error.hpp"
#include "core/layout/layout.hpp"
#include "launcher/channel/async_client.hpp"
#include "launcher/channel/questions.hpp"
#include "launcher/channel/timed.hpp"

#include <memory>
#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <fmt/format.h>

namespace muster::rendezvous {
namespace {

using channel::before;
using channel::receive_message;
using channel::send_message;

constexpr milliseconds go_timeout{5000};       // for the last message, after the deadline
constexpr milliseconds relayed_timeout{1000};  // extra time if it comes through a relay
constexpr milliseconds report_timeout{1500};   // for the supervisor's answer on which node reports

std::vector<std::size_t> without_error(const std::vector<asio::error_code>& errors) {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!errors[i]) indexes.push_back(i);
  }
  return indexes;
}

Outcome outcome_of(const Go& verdict, Port port) {
  Outcome outcome;
  outcome.reported_elsewhere = true;
  if (const auto* const meet = std::get_if<Meet>(&verdict)) {
    outcome.rendezvous = {.address = meet->address, .port = port};
    outcome.exchange = meet->exchange;
    outcome.replaces_exported = meet->replaces_exported;
  } else if (const auto* const stop = std::get_if<Stop>(&verdict)) {
    outcome.failure = stop->why;
  }
  return outcome;
}

}  // namespace

Member::Member(asio::io_context& io, const RendezvousInputs& inputs, const std::vector<Port>& ports,
               const KnownAddress& way, std::string failure)
    : io_(io),
      inputs_(inputs),
      ports_(ports),
      failure_(std::move(failure)),
      timer_(io),
      search_(io, inputs, ports, way) {}

asio::awaitable<Outcome> Member::attend() {
  while (true) {
    auto found = co_await search_.find();
    if (!found) co_return co_await give_up(search_.failure());
    std::string lost;
    try {
      auto outcome = co_await take_part(std::make_shared<LeaderSession>(std::move(*found)));
      if (outcome) co_return std::move(*outcome);
    } catch (const Error& error) {
      lost = error.what();
    } catch (const std::exception&) {
      lost = lost_text();
    }
    // The leader is gone: its own node reports why, if it still can.
    if (!lost.empty()) co_return failed(lost);
  }
}

// No value if the member has to go back to the leader.
asio::awaitable<std::optional<Outcome>> Member::take_part(std::shared_ptr<LeaderSession> leader) {
  auto [offer, next] = welcome_from(leader->welcome, leader_name());
  auto report = co_await report_on(offer, leader->address);
  if (failure_.empty()) failure_ = report.failure;
  if (auto* const elsewhere = std::get_if<Elsewhere>(&next)) {
    asio::error_code ignored;
    leader->socket.close(ignored);
    co_return co_await take_part_at(std::move(elsewhere->relay), std::move(offer),
                                    std::move(report));
  }
  auto ready = to_text(report);
  co_await send_message(leader->socket, leader->proof, "ready", std::move(ready),
                        max_node_report_bytes);
  if (std::holds_alternative<Relaying>(next)) {
    relay_.emplace(io_, inputs_, leader);
    const bool listens = co_await relay_->open(ports_);
    if (!listens) relay_.reset();
  }
  co_return co_await wait_for_go(*leader, offer);
}

asio::awaitable<std::optional<Outcome>> Member::take_part_at(Offer relay, Offer offer,
                                                             NodeReport report) {
  auto session = co_await search_.find_relay(std::move(relay));
  if (!session) co_return std::nullopt;
  try {
    auto ready = to_text(report);
    co_await send_message(session->socket, session->proof, "ready", std::move(ready),
                          max_node_report_bytes);
    co_return co_await wait_for_go(*session, std::move(offer));
  } catch (const std::exception&) {
  }
  co_return std::nullopt;
}

asio::awaitable<Outcome> Member::wait_for_go(LeaderSession& session, Offer offer) {
  Go go;
  std::string lost;
  try {
    while (true) {
      go = co_await receive_go(session);
      const auto* const order = std::get_if<Check>(&go);
      if (order == nullptr) break;
      auto reached = co_await check(order->offer);
      if (relay_) {
        co_await relay_->check(order->offer, std::move(reached));
      } else {
        auto answer = to_text(reached);
        co_await send_message(session.socket, session.proof, "reached", std::move(answer),
                              max_node_report_bytes);
      }
    }
  } catch (const Error& error) {
    lost = error.what();
  } catch (const std::exception&) {
    lost = lost_text();
  }
  if (!lost.empty() && !relay_) throw Error(lost);
  if (!lost.empty()) go = Stop{lost};
  if (relay_) co_await relay_->dismiss(go);
  auto outcome = lost.empty() ? outcome_of(go, offer.port) : failed(lost);
  co_return outcome;
}

asio::awaitable<Go> Member::receive_go(LeaderSession& session) {
  timer_.expires_at(inputs_.deadline + go_timeout + (relay_ ? milliseconds(0) : relayed_timeout));
  auto word =
      co_await channel::before(timer_, receive_message(session.socket, session.proof, "go"));
  if (!word) throw channel::Unauthenticated("silent for too long");
  co_return go_from(*word, leader_name());
}

// The ranks' address is not decided yet. Usually it is the one through which this member connected, and then
// no other address needs to be tried.
asio::awaitable<NodeReport> Member::report_on(Offer offer, asio::ip::address leader) {
  NodeReport report{failure_, inputs_.warnings};
  if (!failure_.empty()) co_return report;
  if (offer.came && offer.addresses[*offer.came] == leader) {
    report.reached = {*offer.came};
    co_return report;
  }
  const auto errors = co_await search_.reach(offer);
  report.reached = without_error(errors);
  if (report.reached.empty()) {
    report.failure = search_.cannot_reach({offer.addresses.front(), offer.port}, errors.front());
  }
  co_return report;
}

asio::awaitable<NodeReport> Member::check(Offer offer) {
  const auto errors = co_await search_.reach(offer);
  NodeReport answer{.failure = {}, .warnings = {}, .reached = without_error(errors)};
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!errors[i]) continue;
    answer.warnings.push_back(search_.cannot_reach({offer.addresses[i], offer.port}, errors[i]));
  }
  co_return answer;
}

// If several nodes cannot continue, one of them reports to the user.
asio::awaitable<Outcome> Member::give_up(std::string why) {
  auto outcome = failed(std::move(why));
  const auto answer = co_await channel::async_ask(inputs_.supervisor, "trouble", outcome.failure,
                                                  Clock::now() + report_timeout);
  outcome.reported_elsewhere = answer == channel::told;
  co_return outcome;
}

Outcome Member::failed(std::string why) const {
  Outcome outcome;
  outcome.failure = failure_.empty() ? std::move(why) : failure_;
  return outcome;
}

std::string Member::lost_text() const {
  return fmt::format(
      "lost contact with the agent on {} before the step could start; see "
      "its message above",
      leader_name());
}

const std::string& Member::leader_name() const {
  return inputs_.layout.nodes[inputs_.layout.node_of_task.front()];
}

Outcome join_rendezvous(const RendezvousInputs& inputs, const std::vector<Port>& ports,
                        const KnownAddress& way, const std::string& failure) {
  asio::io_context io{1};
  Member member(io, inputs, ports, way, failure);
  // A query to the supervisor may still be open; its answer is no longer needed.
  const auto attend = [&]() -> asio::awaitable<Outcome> {
    auto result = co_await member.attend();
    asio::post(io, [&] { io.stop(); });
    co_return result;
  };
  return channel::run_to_end(io, attend());
}

}  // namespace muster::rendezvous
