// The leader's side of rendezvous.hpp.
#include "core/error.hpp"
#include "core/layout/layout.hpp"
#include "launcher/agent/rendezvous/groups.hpp"
#include "launcher/agent/rendezvous/reception.hpp"
#include "launcher/agent/rendezvous/relays.hpp"
#include "launcher/agent/rendezvous/rendezvous.hpp"
#include "launcher/agent/rendezvous/sessions.hpp"
#include "launcher/agent/rendezvous/verdict.hpp"
#include "launcher/channel/async_client.hpp"
#include "launcher/channel/questions.hpp"
#include "launcher/channel/timed.hpp"
#include "launcher/os/open_files.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <fmt/format.h>

namespace muster::rendezvous {
namespace {

using channel::before;
using std::chrono::milliseconds;

constexpr milliseconds announce_after{500};
constexpr milliseconds relay_interval{5};  // while waiting for a relay to listen
constexpr unsigned max_attempts = 2;  // tries to reach a relay; then the member joins the leader

class Leader {
 public:
  Leader(const RendezvousInputs& inputs, port::HeldPort& port, node::NodeAddresses addresses,
         const std::string& failure)
      : inputs_(inputs),
        port_(port),
        addresses_(std::move(addresses)),
        verdict_(inputs.layout, inputs.node, {failure, inputs.warnings}),
        groups_(groups_of(verdict_.missing(), inputs.width, os::allow_many_sockets())),
        relays_(groups_),
        reception_(io_, inputs.key, inputs.layout.nodes.size(),
                   [this](auto session, auto hello) { return attend(std::move(session), hello); }),
        sessions_(io_),
        timer_(io_) {
    // The leader handles a member that it sends away only briefly, but a relay until the end.
    reception_.expect(groups_.relays == 0 ? groups_.direct : groups_.relays, groups_.passing);
  }

  Outcome run() {
    auto listener = port_.take_listener();
    if (!listener) {
      return failed(
          fmt::format("another process took port {} while muster was reserving it", port_.port()));
    }
    reception_.open(std::move(listener));
    timer_.expires_at(inputs_.deadline);
    timer_.async_wait([this](std::error_code stopped) {
      if (!stopped) finish();
    });
    asio::co_spawn(io_, announce(), asio::detached);
    io_.run();
    return outcome();
  }

 private:
  // Some members may arrive late or never find the leader. The supervisor helps them or reports their
  // failure.
  asio::awaitable<void> announce() {
    asio::steady_timer interval(io_, announce_after);
    co_await interval.async_wait(asio::use_awaitable);
    const Offer offer{.port = port_.port(), .addresses = addresses_.all, .came = std::nullopt};
    const auto answer =
        co_await channel::async_ask(inputs_.supervisor, "host", to_text(offer), inputs_.deadline);
    const auto line = answer ? answer->find('\n') : std::string::npos;
    if (line == std::string::npos || finished_) co_return;
    reported_elsewhere_ = answer->substr(0, line) == channel::told;
    fail(answer->substr(line + 1));
  }

  asio::awaitable<void> attend(std::shared_ptr<Session> session, Hello hello) {
    Welcome answer{.offer = offer_for(local_address(session->socket))};
    asio::steady_timer limit(io_, message_timeout);
    if (hello.probe) {
      co_await channel::before(limit, send_away(*session, to_text(answer)));
      co_return;
    }
    if (hello.attempt == 0 && relays_.ask_one()) {
      answer.next = Relaying{};
      co_await attend_relay(session, hello.node, std::move(answer));
      co_return;
    }
    auto relay = co_await relay_for(hello);
    if (relay) {
      answer.next = Elsewhere{std::move(*relay)};
      limit.expires_after(message_timeout);
      co_await channel::before(limit, send_away(*session, to_text(answer)));
    } else if (sessions_.size() < groups_.direct) {
      const bool ready = co_await welcome(session, hello.node, std::move(answer));
      if (ready) arrived(hello.node, session);
    }
  }

  asio::awaitable<bool> welcome(std::shared_ptr<Session> session, layout::NodeIndex node,
                                Welcome answer) {
    asio::steady_timer limit(io_, message_timeout);
    auto report = co_await channel::before(
        limit, receive_ready(*session, to_text(answer), inputs_.layout.nodes[node]));
    if (!report || finished_) co_return false;
    verdict_.arrived(node, std::move(*report));
    co_return true;
  }

  void arrived(layout::NodeIndex node, const std::shared_ptr<Session>& session) {
    sessions_.add(node, session);
    if (verdict_.missing() == 0) finish();
  }

  // The relay to which the member is sent. The first members arrive before any relay listens.
  asio::awaitable<std::optional<Offer>> relay_for(Hello hello) {
    asio::steady_timer timer(io_);
    const auto limit = Clock::now() + message_timeout;
    while (hello.attempt < max_attempts && Clock::now() < limit) {
      auto relay = relays_.next(hello.node, hello.attempt);
      if (relay || !relays_.some_to_come()) co_return relay;
      timer.expires_after(relay_interval);
      co_await timer.async_wait(asio::use_awaitable);
    }
    co_return std::nullopt;
  }

  asio::awaitable<void> attend_relay(std::shared_ptr<Session> session, layout::NodeIndex node,
                                     Welcome answer) {
    session->is_relay = true;
    bool listens = false;
    const auto& name = inputs_.layout.nodes[node];
    try {
      const bool ready = co_await welcome(session, node, std::move(answer));
      if (ready) {
        arrived(node, session);
        auto first = co_await receive_report(*session, name);
        listens = take_listening(node, std::move(first));
        session->is_relay = listens;  // false: it joins as an ordinary member
      }
      while (listens) {
        auto report = co_await receive_report(*session, name);
        take_report(*session, std::move(report));
      }
    } catch (const Error& unreadable) {
      fail(unreadable.what());
    } catch (const std::exception&) {
    }
    if (!listens) relays_.failed();
    if (listens && !finished_) lose(node);
  }

  bool take_listening(layout::NodeIndex node, RelayReport report) {
    auto* const listening = std::get_if<Listening>(&report);
    if (listening == nullptr || !listening->offer) return false;
    relays_.listening(node, std::move(*listening->offer));
    return true;
  }

  void take_report(Session& session, RelayReport report) {
    if (auto* const some = std::get_if<Joined>(&report)) joined(std::move(some->reports));
    auto* const reached = std::get_if<Reached>(&report);
    if (reached == nullptr) return;
    session.answer = std::move(reached->report);
    session.answered.cancel();
  }

  void fail(std::string why) {
    if (finished_) return;
    verdict_.fail(std::move(why));
    finish();
  }

  void joined(NodeReports reports) {
    for (auto& [node, report] : reports) {
      if (node < inputs_.layout.nodes.size()) verdict_.arrived(node, std::move(report));
    }
    if (verdict_.missing() == 0) finish();
  }

  // The relay's members come back and go to other relays; the relay itself does not.
  void lose(layout::NodeIndex relay) {
    sessions_.remove(relay);
    verdict_.lost(relay);
    for (const auto member : relays_.lost(relay)) {
      if (!sessions_.has(member)) verdict_.lost(member);
    }
  }

  // The list only grows at its end, so indexes stay valid.
  Offer offer_for(const asio::ip::address& came) {
    auto& all = addresses_.ranks;
    auto found = std::find(all.begin(), all.end(), came);
    if (found == all.end() && !addresses_.chosen) found = all.insert(all.end(), came);
    Offer offer{.port = port_.port(), .addresses = all, .came = std::nullopt};
    if (found != all.end()) offer.came = static_cast<std::size_t>(found - all.begin());
    return offer;
  }

  // Called when all members have joined, or when time is up.
  void finish() {
    if (finished_) return;
    finished_ = true;
    timer_.cancel();
    if (failure().empty() && !meeting_address()) {
      // The members arrived through different addresses, so the leader must find one that all of them can
      // reach.
      sessions_.check(
          {.port = port_.port(), .addresses = addresses_.ranks, .came = std::nullopt},
          [this](auto reached, auto unreached) {
            verdict_.checked(std::move(reached), std::move(unreached));
          },
          [this] {
            if (!meeting_address()) verdict_.fail(verdict_.no_common_address());
            dismiss_all();
          });
    } else {
      dismiss_all();
    }
  }

  // The listener closes before any member receives "go": a fast rank must not mistake it for rank
  // 0's own server.
  void dismiss_all() {
    reception_.close();
    const auto why = failure();
    const auto verdict = why.empty()
                             ? Go(Meet{address(), inputs_.exchange, inputs_.replaces_exported})
                             : Go(Stop{why});
    sessions_.dismiss(verdict, [this] { io_.stop(); });
  }

  [[nodiscard]] std::string failure() const { return verdict_.failure(port_.port()); }

  [[nodiscard]] std::optional<std::size_t> meeting_address() const {
    return verdict_.common(addresses_.ranks.size());
  }

  [[nodiscard]] std::string address() const {
    return addresses_.ranks.at(meeting_address().value_or(0)).to_string();
  }

  Outcome outcome() const {
    Outcome outcome;
    outcome.failure = failure();
    outcome.reported_elsewhere = reported_elsewhere_;
    outcome.rendezvous.address = address();
    outcome.rendezvous.port = port_.port();
    outcome.exchange = inputs_.exchange;
    outcome.replaces_exported = inputs_.replaces_exported;
    outcome.warnings = verdict_.warnings();
    return outcome;
  }

  static Outcome failed(std::string why) {
    Outcome outcome;
    outcome.failure = std::move(why);
    return outcome;
  }

  // Declared first, so that it is destroyed last: it owns what the coroutines hold.
  asio::io_context io_{1};
  const RendezvousInputs& inputs_;
  port::HeldPort& port_;
  node::NodeAddresses addresses_;
  Verdict verdict_;
  Groups groups_;
  Relays relays_;
  bool reported_elsewhere_ = false;
  bool finished_ = false;
  Reception reception_;
  Sessions sessions_;
  asio::steady_timer timer_;
};

}  // namespace

Outcome lead_rendezvous(const RendezvousInputs& inputs, port::HeldPort& port,
                        const node::NodeAddresses& addresses, const std::string& failure) {
  return Leader(inputs, port, addresses, failure).run();
}

}  // namespace muster::rendezvous
