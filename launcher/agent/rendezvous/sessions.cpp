#include "launcher/agent/rendezvous/sessions.hpp"

#include "launcher/channel/timed.hpp"

#include <algorithm>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

namespace muster::rendezvous {
namespace {

using channel::before;
using channel::receive_message;
using channel::send_message;

constexpr std::chrono::seconds member_timeout{5};  // for trying all addresses
// Likewise for a relay, including all its members.
constexpr std::chrono::seconds relay_timeout{15};
constexpr std::chrono::seconds dismissal_timeout{2};  // for sending the last message to all
// At the same time, because each check opens many connections to the leader.
constexpr std::size_t max_checks = 64;

asio::awaitable<std::optional<NodeReport>> check_member(Session& session, std::string order) {
  co_await send_message(session.socket, session.proof, "go", std::move(order));
  if (!session.is_relay) {
    const auto answer =
        co_await receive_message(session.socket, session.proof, "reached", max_node_report_bytes);
    co_return report_from_text(answer);
  }
  // The coroutine that handles the relay reads its messages.
  asio::error_code ignored;
  session.answered.expires_after(relay_timeout);
  if (!session.answer) {
    co_await session.answered.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  auto answer = session.answer;
  co_return answer;
}

}  // namespace

asio::awaitable<RelayReport> receive_report(Session& session, std::string node) {
  const auto text =
      co_await receive_message(session.socket, session.proof, "report", max_report_bytes);
  co_return relay_report_from(text, node);
}

void Sessions::add(layout::NodeIndex node, std::shared_ptr<Session> session) {
  sessions_.insert_or_assign(node, std::move(session));
}

void Sessions::check(Offer offer, OnReached reached, std::function<void()> done) {
  order_ = to_text(Check{std::move(offer)});
  for (const auto& [node, session] : sessions_) unchecked_.push_back(session);
  left_ = std::min(max_checks, unchecked_.size());
  if (left_ == 0) done();
  for (auto i = left_; i > 0; --i) {
    asio::co_spawn(io_, check_next(reached, done), asio::detached);
  }
}

asio::awaitable<void> Sessions::check_next(OnReached reached, std::function<void()> done) {
  while (!unchecked_.empty()) {
    const auto session = unchecked_.back();
    unchecked_.pop_back();
    co_await check(session, reached);
  }
  if (--left_ == 0) done();
}

asio::awaitable<void> Sessions::check(std::shared_ptr<Session> session, OnReached reached) {
  asio::steady_timer limit(io_, session->is_relay ? relay_timeout : member_timeout);
  try {
    auto answer = co_await channel::before(limit, check_member(*session, order_));
    if (!answer) co_return;
    // A relay that has not answered in time has reached nothing.
    auto report = std::move(*answer).value_or(NodeReport{});
    reached(std::move(report.reached), std::move(report.warnings));
  } catch (const std::exception&) {
    // The member has died since it joined, so there is nothing to dismiss.
  }
}

void Sessions::dismiss(const Go& verdict, std::function<void()> done) {
  dismissed_ = std::move(done);
  timer_.expires_after(dismissal_timeout);
  timer_.async_wait([this](std::error_code stopped) {
    if (!stopped) finish_dismissal();
  });
  left_ = sessions_.size();
  if (left_ == 0) finish_dismissal();
  for (auto& [node, session] : sessions_) {
    asio::co_spawn(io_, let_go(session, to_text(verdict)), asio::detached);
  }
}

asio::awaitable<void> Sessions::let_go(std::shared_ptr<Session> session, std::string verdict) {
  try {
    co_await send_message(session->socket, session->proof, "go", std::move(verdict));
  } catch (const std::exception&) {
    // The member's own agent reports what happened there; Slurm sees that the node's tasks fail.
  }
  // Must do more than stop the timer: otherwise a member that does not read would hold up the step until
  // then.
  if (--left_ == 0) finish_dismissal();
}

void Sessions::finish_dismissal() {
  timer_.cancel();
  if (dismissed_) std::exchange(dismissed_, nullptr)();
}

}  // namespace muster::rendezvous
