#include "launcher/watch/station.hpp"

#include "core/error.hpp"
#include "launcher/watch/allowance.hpp"
#include "launcher/watch/fields.hpp"
#include "launcher/watch/roll.hpp"

#include <algorithm>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>

namespace muster::watch {
namespace {

using channel::Session;
using channel::SessionEnd;
using layout::NodeIndex;
using report::NodeState;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds pause_timeout{200};
constexpr milliseconds return_time{2000};  // for an agent whose connection has ended

// A node's connection, and when its agent must have been heard again.
struct Watch {
  std::unique_ptr<Session> session;  // none: it may come again
  bool greeted = false;
  bool ended = false;                          // the last session, not by us
  std::optional<Clock::time_point> last_word;  // none: never
  Clock::time_point due;                       // while the node is watched
  Allowance allowance;
};

std::string remark_of(SessionEnd reason) {
  if (reason == SessionEnd::unproven) return "a message of its agent did not prove its origin";
  if (reason == SessionEnd::unread) return "its agent did not read the supervisor's messages";
  return {};
}

}  // namespace

// Everything but the constructor and what Station's own functions call runs in the channel's thread.
class Station::State : public std::enable_shared_from_this<State> {
 public:
  State(const StationLimits& limits, StationEvents events)
      : limits_(limits), events_(std::move(events)), roll_(limits.max_ends_with_text) {}

  void start(asio::io_context& io);
  void opened(std::unique_ptr<Session> session, NodeIndex node, std::uint32_t nodes);
  void stop();
  void end_all(milliseconds grace);
  bool signal_all(int number);
  void pause();
  [[nodiscard]] Seen seen() const;
  [[nodiscard]] bool complete() const;
  [[nodiscard]] report::Moment moment(Clock::time_point time) const { return {time - start_, {}}; }

 private:
  // What happens in one call, for the events: they are called when the lock is free.
  struct News {
    std::optional<report::RankEnd> ended;
    std::vector<std::pair<NodeIndex, NodeState>> changed;
    std::optional<std::pair<NodeIndex, Hangs>> hangs;
    std::optional<NodeIndex> stuck;
  };

  void message(NodeIndex node, std::string_view text);
  void closed(NodeIndex node, SessionEnd reason);
  void tell_all(const std::string& text);
  [[nodiscard]] static bool listens(const Watch& watch) { return watch.session && watch.greeted; }
  void look(Clock::time_point due);
  void publish(const News& news) const;

  // These are called under the lock.
  News news_of(NodeIndex node, std::string_view text);
  void take(NodeIndex node, Hello hello, News& news);
  void take(NodeIndex node, const Beat& beat, News& news);
  void take(NodeIndex node, Ended ended, News& news);
  void take(NodeIndex node, Remark remark, News& news);
  void take(NodeIndex node, const Stuck& stuck, News& news);
  void take(NodeIndex node, Hangs hangs, News& news);
  void take(NodeIndex node, const Bye& bye, News& news);
  void change(NodeIndex node, NodeState state, News& news);
  void drop(NodeIndex node, std::string remark);
  void wake_at(Clock::time_point time);

  const StationLimits limits_;
  const StationEvents events_;
  const Clock::time_point start_ = Clock::now();
  mutable std::mutex mutex_;
  Roll roll_;
  std::vector<Watch> watches_;  // by node index
  std::string ending_;          // what the agents are told, as soon as they are
  asio::io_context* io_ = nullptr;
  std::optional<asio::steady_timer> timer_;
  std::optional<Clock::time_point> wakes_;
};

void Station::State::start(asio::io_context& io) {
  const std::lock_guard lock(mutex_);
  io_ = &io;
  timer_.emplace(io);
}

void Station::State::stop() {
  const std::lock_guard lock(mutex_);
  for (auto& watch : watches_) watch.session.reset();
  timer_.reset();
  wakes_.reset();
  io_ = nullptr;
}

void Station::State::opened(std::unique_ptr<Session> session, NodeIndex node, std::uint32_t nodes) {
  const std::lock_guard lock(mutex_);
  if (!roll_.admit(node, nodes)) return;
  watches_.resize(nodes);
  auto& watch = watches_[node];
  watch.session = std::move(session);  // the newest is the agent's
  watch.greeted = false;
  const auto self = weak_from_this();
  watch.session->receive({.message =
                              [self, node](std::string_view text) {
                                if (const auto state = self.lock()) state->message(node, text);
                              },
                          .ended =
                              [self, node](SessionEnd reason) {
                                if (const auto state = self.lock()) state->closed(node, reason);
                              }});
}

void Station::State::message(NodeIndex node, std::string_view text) {
  News news;
  {
    const std::lock_guard lock(mutex_);
    news = news_of(node, text);
  }
  publish(news);
}

Station::State::News Station::State::news_of(NodeIndex node, std::string_view text) {
  auto& watch = watches_[node];
  News news;
  const auto now = Clock::now();
  if (!watch.allowance.take(text.size(), now)) {
    drop(node, "its agent sent more than it may");
    return news;
  }
  try {
    auto event = event_from_agent(text);
    if (!watch.greeted && !std::holds_alternative<Hello>(event)) throw Error("no hello");
    watch.last_word = now;
    watch.due = now + limits_.heartbeat;
    std::visit([&](auto& each) { take(node, std::move(each), news); }, event);
  } catch (const Error& error) {
    drop(node, error.what());
  }
  return news;
}

void Station::State::take(NodeIndex node, Hello hello, News& news) {
  roll_.hello(node, hello);
  auto& watch = watches_[node];
  watch.greeted = true;
  watch.ended = false;
  change(node, NodeState::watched, news);
  wake_at(watch.due);
  if (!ending_.empty()) watch.session->send(ending_);
}

void Station::State::take(NodeIndex node, const Beat& beat, News& /*news*/) {
  watches_[node].session->send(
      to_text(FromSupervisor(Beat{.sent = beat.sent, .supervisor = Clock::now() - start_})));
}

void Station::State::take(NodeIndex node, Ended ended, News& news) {
  if (roll_.ended(node, ended.end, moment(Clock::now()))) news.ended = std::move(ended.end);
}

void Station::State::take(NodeIndex node, Remark remark, News& /*news*/) {
  roll_.remark(node, std::move(remark.line));
}

void Station::State::take(NodeIndex node, const Stuck& stuck, News& news) {
  roll_.stuck(node, stuck);
  news.stuck = node;
}

void Station::State::take(NodeIndex node, Hangs hangs, News& news) {
  roll_.hangs(node, hangs);
  news.hangs.emplace(node, std::move(hangs));
}

void Station::State::take(NodeIndex node, const Bye& /*bye*/, News& news) {
  change(node, NodeState::done, news);
  watches_[node].session.reset();
}

void Station::State::change(NodeIndex node, NodeState state, News& news) {
  if (roll_.set_state(node, state)) news.changed.emplace_back(node, state);
}

// Its agent may come again.
void Station::State::drop(NodeIndex node, std::string remark) {
  auto& watch = watches_[node];
  watch.session.reset();
  watch.ended = true;
  watch.due = Clock::now() + std::min(return_time, limits_.heartbeat);
  if (!remark.empty()) roll_.remark(node, std::move(remark));
  if (roll_.state(node) == NodeState::watched) wake_at(watch.due);
}

void Station::State::closed(NodeIndex node, SessionEnd reason) {
  const std::lock_guard lock(mutex_);
  if (reason == SessionEnd::unreachable) {
    watches_[node].session.reset();
  } else {
    drop(node, remark_of(reason));
  }
}

void Station::State::wake_at(Clock::time_point time) {
  if (!timer_ || (wakes_ && *wakes_ <= time)) return;
  wakes_ = time;
  timer_->expires_at(time);
  timer_->async_wait([self = weak_from_this(), time](std::error_code stopped) {
    const auto state = self.lock();
    if (state && !stopped) state->look(time);
  });
}

// Which nodes have gone silent. If this process itself did not run for a while, each may beat once more.
void Station::State::look(Clock::time_point due) {
  News news;
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    const bool slept = now - due > limits_.heartbeat / 4;
    wakes_.reset();
    for (NodeIndex node = 0; node < watches_.size(); ++node) {
      auto& watch = watches_[node];
      if (roll_.state(node) != NodeState::watched) continue;
      if (slept) watch.due = std::max(watch.due, now + limits_.heartbeat / 2);
      if (now < watch.due) {
        wake_at(watch.due);
        continue;
      }
      change(node, watch.ended ? NodeState::agent_gone : NodeState::lost, news);
      watch.session.reset();
    }
  }
  publish(news);
}

void Station::State::publish(const News& news) const {
  if (news.ended && events_.ended) events_.ended(*news.ended);
  if (news.stuck && events_.stuck) events_.stuck(*news.stuck);
  if (news.hangs && events_.hangs) events_.hangs(news.hangs->first, news.hangs->second);
  if (!events_.node_changed) return;
  for (const auto& [node, state] : news.changed) events_.node_changed(node, state);
}

void Station::State::end_all(milliseconds grace) {
  const std::lock_guard lock(mutex_);
  ending_ = to_text(FromSupervisor(End{std::clamp(grace, milliseconds(0), max_grace)}));
  tell_all(ending_);
}

bool Station::State::signal_all(int number) {
  const std::lock_guard lock(mutex_);
  if (!io_ || std::ranges::none_of(watches_, listens)) return false;
  tell_all(to_text(FromSupervisor(Signal{number})));
  return true;
}

void Station::State::pause() {
  const auto told = std::make_shared<std::promise<void>>();
  {
    const std::lock_guard lock(mutex_);
    if (!io_) return;
    tell_all(to_text(FromSupervisor(Pause())));
    asio::post(*io_, [told] { told->set_value(); });
  }
  told->get_future().wait_for(pause_timeout);
}

// Under the lock; the sessions belong to the channel's thread.
void Station::State::tell_all(const std::string& text) {
  if (!io_) return;
  asio::post(*io_, [self = weak_from_this(), text] {
    const auto state = self.lock();
    if (!state) return;
    const std::lock_guard lock(state->mutex_);
    for (auto& watch : state->watches_) {
      if (listens(watch)) watch.session->send(text);
    }
  });
}

Seen Station::State::seen() const {
  const std::lock_guard lock(mutex_);
  auto seen = roll_.seen();
  for (NodeIndex node = 0; node < watches_.size(); ++node) {
    if (watches_[node].last_word) seen.nodes[node].last_word = moment(*watches_[node].last_word);
  }
  return seen;
}

bool Station::State::complete() const {
  const std::lock_guard lock(mutex_);
  return roll_.complete();
}

Station::Station(const StationLimits& limits, StationEvents events)
    : state_(std::make_shared<State>(limits, std::move(events))) {}

Station::~Station() = default;

void Station::start(asio::io_context& io) {
  state_->start(io);
}

void Station::opened(std::unique_ptr<Session> session, NodeIndex node, std::uint32_t nodes) {
  state_->opened(std::move(session), node, nodes);
}

void Station::stop() {
  state_->stop();
}

void Station::end_all(milliseconds grace) {
  state_->end_all(grace);
}

bool Station::signal_all(int number) {
  return state_->signal_all(number);
}

void Station::pause() {
  state_->pause();
}

Seen Station::seen() const {
  return state_->seen();
}

bool Station::complete() const {
  return state_->complete();
}

report::Moment Station::moment(Clock::time_point time) const {
  return state_->moment(time);
}

}  // namespace muster::watch
