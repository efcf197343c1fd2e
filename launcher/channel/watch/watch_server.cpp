#include "launcher/channel/watch/watch_server.hpp"

#include "launcher/channel/watch/watched_nodes.hpp"

#include <condition_variable>
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
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds pause_timeout{200};

}  // namespace

// Runs in the channel's thread, except for the constructor and the functions that WatchServer calls.
class WatchServer::State : public std::enable_shared_from_this<State> {
 public:
  State(const WatchLimits& limits, WatchEvents events)
      : events_(std::move(events)),
        nodes_({.heartbeat = limits.heartbeat,
                .loss_time = limits.loss_time,
                .another_may_start = limits.another_may_start},
               limits.max_ends_with_text, limits.start) {}

  void start(asio::io_context& io);
  void opened(std::unique_ptr<Session> session, NodeIndex node, std::uint32_t nodes);
  void stop();
  void end_all(milliseconds grace);
  void examine(NodeIndex node, const Examine& what);
  bool signal_all(int number);
  void pause();
  void may_be_replaced();
  [[nodiscard]] std::optional<std::uint32_t> unconfirmed_sleep() const;
  void confirm(std::uint32_t sleep);
  void shown(const Shown& shown, std::size_t bytes);
  [[nodiscard]] Observations seen() const;
  std::vector<std::optional<status::Counts>> count(milliseconds timeout);
  [[nodiscard]] bool complete() const;
  [[nodiscard]] report::Moment moment(Clock::time_point time) const { return nodes_.moment(time); }

 private:
  template <class Ask>
  void hear(const Ask& ask);
  void publish(Changes changes) const;

  // Called under the lock.
  void tell_all(const std::string& text);
  void wake_at(Clock::time_point time);

  const WatchEvents events_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // wakes the thread that waits for counts
  WatchedNodes nodes_;
  asio::io_context* io_ = nullptr;
  std::optional<asio::steady_timer> timer_;
  std::optional<Clock::time_point> wakes_;
};

void WatchServer::State::start(asio::io_context& io) {
  const std::lock_guard lock(mutex_);
  io_ = &io;
  timer_.emplace(io);
}

void WatchServer::State::stop() {
  const std::lock_guard lock(mutex_);
  nodes_.close_all();
  timer_.reset();
  wakes_.reset();
  io_ = nullptr;
  changed_.notify_all();
}

void WatchServer::State::opened(std::unique_ptr<Session> session, NodeIndex node,
                                std::uint32_t nodes) {
  const std::lock_guard lock(mutex_);
  auto* const admitted = nodes_.admit(std::move(session), node, nodes);
  if (admitted == nullptr) return;
  const auto self = weak_from_this();
  admitted->receive({.message =
                         [self, node](std::string_view text) {
                           if (const auto state = self.lock())
                             state->hear([&] { return state->nodes_.message(node, text); });
                         },
                     .ended =
                         [self, node](SessionEnd reason) {
                           if (const auto state = self.lock())
                             state->hear([&] { return state->nodes_.closed(node, reason); });
                         }});
}

// Calls the events without holding the lock.
template <class Ask>
void WatchServer::State::hear(const Ask& ask) {
  Changes changes;
  {
    const std::lock_guard lock(mutex_);
    changes = ask();
    if (changes.look_by) wake_at(*changes.look_by);
    changed_.notify_all();
  }
  publish(std::move(changes));
}

void WatchServer::State::wake_at(Clock::time_point time) {
  if (!timer_ || (wakes_ && *wakes_ <= time)) return;
  wakes_ = time;
  timer_->expires_at(time);
  timer_->async_wait([self = weak_from_this(), time](std::error_code stopped) {
    const auto state = self.lock();
    if (!state || stopped) return;
    state->hear([&] {
      state->wakes_.reset();
      return state->nodes_.look_for_silence();
    });
  });
}

void WatchServer::State::publish(Changes changes) const {
  if (changes.output && events_.output) events_.output(std::move(*changes.output), changes.ranks);
  if (changes.ended && events_.ended) events_.ended(changes.ended->first, changes.ended->second);
  if (changes.arrived && events_.arrived)
    events_.arrived(changes.arrived->first, std::move(changes.arrived->second));
  if (changes.carried && events_.carried)
    events_.carried(changes.carried->first, std::move(changes.carried->second));
  if (changes.examined && events_.examined)
    events_.examined(changes.examined->first, std::move(changes.examined->second));
  if (changes.stuck && events_.stuck) events_.stuck(*changes.stuck);
  if (changes.warning && events_.warning) events_.warning(*changes.warning);
  if (changes.hangs && events_.hangs) events_.hangs(changes.hangs->first, changes.hangs->second);
  if (changes.slept && events_.slept) events_.slept(*changes.slept);
  if (changes.cut_off && events_.cut_off) events_.cut_off(*changes.cut_off);
  if (!events_.node_changed) return;
  for (const auto& [node, state] : changes.changed) events_.node_changed(node, state);
}

void WatchServer::State::end_all(milliseconds grace) {
  const std::lock_guard lock(mutex_);
  const auto text = to_text(FromSupervisor(End{grace}));
  nodes_.set_ending(text);
  tell_all(text);
}

// Posts to the channel's thread, which owns the sessions.
void WatchServer::State::examine(NodeIndex node, const Examine& what) {
  const std::lock_guard lock(mutex_);
  if (!io_) return;
  asio::post(*io_, [self = weak_from_this(), node, text = to_text(FromSupervisor(what))] {
    const auto state = self.lock();
    if (!state) return;
    const std::lock_guard posted(state->mutex_);
    state->nodes_.tell(node, text);
  });
}

bool WatchServer::State::signal_all(int number) {
  const std::lock_guard lock(mutex_);
  if (!io_ || !nodes_.any_listens()) return false;
  tell_all(to_text(FromSupervisor(Signal{number})));
  return true;
}

void WatchServer::State::pause() {
  const auto told = std::make_shared<std::promise<void>>();
  {
    const std::lock_guard lock(mutex_);
    if (!io_) return;
    nodes_.will_sleep();
    tell_all(to_text(FromSupervisor(Pause())));
    asio::post(*io_, [told] { told->set_value(); });
  }
  told->get_future().wait_for(pause_timeout);
}

void WatchServer::State::may_be_replaced() {
  const std::lock_guard lock(mutex_);
  nodes_.may_be_replaced();
}

std::optional<std::uint32_t> WatchServer::State::unconfirmed_sleep() const {
  const std::lock_guard lock(mutex_);
  return nodes_.unconfirmed_sleep();
}

void WatchServer::State::confirm(std::uint32_t sleep) {
  const std::lock_guard lock(mutex_);
  nodes_.confirm(sleep);
}

// Posts to the channel's thread, which owns the sessions.
void WatchServer::State::tell_all(const std::string& text) {
  if (!io_) return;
  asio::post(*io_, [self = weak_from_this(), text] {
    const auto state = self.lock();
    if (!state) return;
    const std::lock_guard lock(state->mutex_);
    state->nodes_.tell_all(text);
  });
}

// Posts to the channel's thread, which owns the sessions.
void WatchServer::State::shown(const Shown& shown, std::size_t bytes) {
  const auto tell = [self = weak_from_this(), shown, bytes] {
    const auto state = self.lock();
    if (!state) return;
    const std::lock_guard lock(state->mutex_);
    state->nodes_.shown(shown, bytes);
  };
  const std::lock_guard lock(mutex_);
  if (io_) asio::post(*io_, tell);
}

// Posts to the channel's thread, which owns the sessions.
std::vector<std::optional<status::Counts>> WatchServer::State::count(milliseconds timeout) {
  std::unique_lock lock(mutex_);
  if (!io_) return nodes_.counts();
  const auto number = std::make_shared<std::uint32_t>(0);
  asio::post(*io_, [self = weak_from_this(), number] {
    const auto state = self.lock();
    if (!state) return;
    const std::lock_guard posted(state->mutex_);
    *number = state->nodes_.count();
    state->changed_.notify_all();
  });
  changed_.wait_for(lock, timeout,
                    [&] { return !io_ || (*number > 0 && nodes_.has_counted(*number)); });
  return nodes_.counts();
}

Observations WatchServer::State::seen() const {
  const std::lock_guard lock(mutex_);
  return nodes_.seen();
}

bool WatchServer::State::complete() const {
  const std::lock_guard lock(mutex_);
  return nodes_.complete();
}

WatchServer::WatchServer(const WatchLimits& limits, WatchEvents events)
    : state_(std::make_shared<State>(limits, std::move(events))) {}

WatchServer::~WatchServer() = default;

void WatchServer::start(asio::io_context& io) {
  state_->start(io);
}

void WatchServer::opened(std::unique_ptr<Session> session, NodeIndex node, std::uint32_t nodes) {
  state_->opened(std::move(session), node, nodes);
}

void WatchServer::stop() {
  state_->stop();
}

void WatchServer::end_all(milliseconds grace) {
  state_->end_all(grace);
}

void WatchServer::examine(NodeIndex node, const Examine& what) {
  state_->examine(node, what);
}

bool WatchServer::signal_all(int number) {
  return state_->signal_all(number);
}

void WatchServer::pause() {
  state_->pause();
}

void WatchServer::may_be_replaced() {
  state_->may_be_replaced();
}

std::optional<std::uint32_t> WatchServer::unconfirmed_sleep() const {
  return state_->unconfirmed_sleep();
}

void WatchServer::confirm(std::uint32_t sleep) {
  state_->confirm(sleep);
}

void WatchServer::shown(const Shown& shown, std::size_t bytes) {
  state_->shown(shown, bytes);
}

std::vector<std::optional<status::Counts>> WatchServer::count(milliseconds timeout) {
  return state_->count(timeout);
}

Observations WatchServer::seen() const {
  return state_->seen();
}

bool WatchServer::complete() const {
  return state_->complete();
}

report::Moment WatchServer::moment(Clock::time_point time) const {
  return state_->moment(time);
}

}  // namespace muster::watch
