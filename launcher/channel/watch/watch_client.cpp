#include "launcher/channel/watch/watch_client.hpp"

#include "core/error.hpp"
#include "launcher/channel/session.hpp"
#include "launcher/channel/watch/clock_jumps.hpp"
#include "launcher/channel/watch/clock_offset.hpp"
#include "launcher/channel/watch/outbox.hpp"

#include <algorithm>
#include <utility>

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>

namespace muster::watch {
namespace {

using channel::Session;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds first_retry{200};
constexpr milliseconds last_retry{1000};            // if there was a connection before
constexpr milliseconds last_retry_of_none{30'000};  // if there never was one: probably a firewall
constexpr milliseconds max_connect_time{3000};

nanoseconds reading(Clock::time_point time) {
  return time.time_since_epoch();
}

}  // namespace

class WatchClient::State : public std::enable_shared_from_this<State> {
 public:
  State(asio::io_context& io, channel::Client supervisor, milliseconds heartbeat, bool fences,
        LinkEvents events)
      : io_(io),
        supervisor_(std::move(supervisor)),
        heartbeat_(heartbeat),
        events_(std::move(events)),
        lease_(heartbeat, fences),
        jumps_(heartbeat / 2),
        beat_timer_(io),
        retry_timer_(io),
        silence_timer_(io),
        finish_timer_(io) {}

  void start(Hello hello);
  void send(std::vector<FromAgent> events);
  void send_once(const FromAgent& event);
  bool send(const view::OutputPiece& piece);
  [[nodiscard]] bool established() const { return lease_.has_begun(); }
  [[nodiscard]] report::Moment moment(Clock::time_point time) const;
  void finish(milliseconds deadline, std::function<void()> done);
  void stop();

 private:
  void connect();
  void refused();
  void opened(std::unique_ptr<Session> session);
  void closed(channel::SessionEnd reason);
  void connect_later();
  void message(std::string_view text);
  void take(const Beat& answer);
  void take(const End& end) const;
  void take(const Signal& signal) const;
  void take(const Shown& shown) const;
  void take(const Count& count);
  void take(const Examine& examine) const;
  void take(const Pause& pause);
  void pause(bool paused, Clock::time_point now);
  void beat();
  void judge();
  void judge_and_wait();
  void finished();
  void after(asio::steady_timer& timer, Clock::duration time, void (State::*then)());

  asio::io_context& io_;
  const channel::Client supervisor_;
  const milliseconds heartbeat_;
  const LinkEvents events_;
  const Clock::time_point created_ = Clock::now();
  std::string hello_;
  Outbox outbox_;
  ClockOffset clock_;
  Lease lease_;
  ClockJumps jumps_;
  Standing standing_ = Standing::go_on;
  std::unique_ptr<Session> session_;
  bool connecting_ = false;
  bool paused_ = false;  // the supervisor has announced a pause on this connection
  bool asked_ = false;   // a beat has been sent on this connection but not answered yet
  bool doubts_ = false;  // the owner has been told about the silence
  bool stopped_ = false;
  milliseconds retry_ = first_retry;
  Clock::time_point heard_;  // when it last received something, or when the connection was made
  std::function<void()> done_;
  asio::steady_timer beat_timer_;
  asio::steady_timer retry_timer_;
  asio::steady_timer silence_timer_;
  asio::steady_timer finish_timer_;
};

void WatchClient::State::after(asio::steady_timer& timer, Clock::duration time,
                               void (State::*then)()) {
  timer.expires_after(time);
  timer.async_wait([self = weak_from_this(), then](std::error_code stopped) {
    const auto state = self.lock();
    if (state && !stopped && !state->stopped_) ((*state).*then)();
  });
}

void WatchClient::State::start(Hello hello) {
  const bool first = hello_.empty();
  outbox_.make_room(hello.ranks.size());
  hello.counts = bool(events_.count);
  hello_ = to_text(FromAgent(std::move(hello)));
  if (session_) session_->send(hello_);
  if (first && supervisor_) connect();
}

void WatchClient::State::connect() {
  connecting_ = true;
  const auto time = std::clamp(heartbeat_ / 3, first_retry, max_connect_time);
  channel::open_session(
      io_, supervisor_, time,
      [self = weak_from_this()](auto session) {
        const auto state = self.lock();
        if (state && !state->stopped_) state->opened(std::move(session));
      },
      [self = weak_from_this()] {
        if (const auto state = self.lock()) state->refused();
      });
}

void WatchClient::State::refused() {
  lease_.refused();
  judge();
}

void WatchClient::State::opened(std::unique_ptr<Session> session) {
  connecting_ = false;
  if (!session) return connect_later();
  session_ = std::move(session);
  heard_ = Clock::now();
  const auto self = weak_from_this();
  session_->receive({.message =
                         [self](std::string_view text) {
                           if (const auto state = self.lock()) state->message(text);
                         },
                     .ended =
                         [self](channel::SessionEnd reason) {
                           if (const auto state = self.lock()) state->closed(reason);
                         }});
  session_->send(hello_);
  asked_ = false;
  outbox_.connected([this](const auto& text) { session_->send(text); });
  beat();
  if (events_.connected) events_.connected();
}

// A connection that the other side closed may mean that the attempt ended while this node was suspended.
void WatchClient::State::closed(channel::SessionEnd reason) {
  session_.reset();
  beat_timer_.cancel();
  const auto now = Clock::now();
  pause(false, now);
  if (reason == channel::SessionEnd::closed && !done_) {
    lease_.doubt(now);
    judge();
  }
  // The server hangs up when it has read the last message.
  if (done_ && reason == channel::SessionEnd::closed && outbox_.all_written()) return finished();
  connect_later();
}

// Spread out, so that the nodes of a step that briefly lost its supervisor do not all reconnect at the same
// time.
void WatchClient::State::connect_later() {
  if (done_ && !established()) return finished();
  const auto spread = retry_ * (supervisor_.node % 64) / 128;
  after(retry_timer_, retry_ + spread, &State::connect);
  retry_ = std::min(2 * retry_, established() ? last_retry : last_retry_of_none);
}

void WatchClient::State::send(std::vector<FromAgent> events) {
  std::vector<std::string_view> texts;
  for (auto& event : events) {
    if (const auto* const text = outbox_.add(std::move(event))) texts.emplace_back(*text);
  }
  if (!session_) return;
  session_->send(texts);
  for (std::size_t sent = 0; sent < texts.size(); ++sent) outbox_.written();
}

void WatchClient::State::send_once(const FromAgent& event) {
  if (session_) session_->send(to_text(event));
}

bool WatchClient::State::send(const view::OutputPiece& piece) {
  if (!session_) return false;
  session_->send(view::to_text(piece));
  return true;
}

void WatchClient::State::message(std::string_view text) {
  judge();  // the first text read after a suspension may be old
  try {
    const auto event = event_from_supervisor(text);
    heard_ = Clock::now();
    pause(false, heard_);
    std::visit([&](const auto& each) { take(each); }, event);
    judge();
  } catch (const Error&) {
    closed(channel::SessionEnd::unproven);
  }
}

void WatchClient::State::take(const Beat& answer) {
  if (!outbox_.answered(answer.sent)) return;
  asked_ = false;
  clock_.add(answer.sent, reading(heard_), answer.supervisor);
  retry_ = first_retry;
  const bool first = !established();
  lease_.answered(Clock::time_point(answer.sent));
  if (first) judge_and_wait();
}

void WatchClient::State::take(const End& end) const {
  if (events_.end) events_.end(end);
}

void WatchClient::State::take(const Signal& signal) const {
  if (events_.signal) events_.signal(signal);
}

void WatchClient::State::take(const Shown& shown) const {
  if (events_.shown) events_.shown(shown);
}

// If the connection breaks, the process that asked is gone, so nothing is kept.
void WatchClient::State::take(const Count& count) {
  if (!events_.count) return;
  const auto counts = events_.count();
  if (session_) session_->send(to_text(FromAgent(Counted{count.number, counts})));
}

void WatchClient::State::take(const Examine& examine) const {
  if (events_.examine) events_.examine(examine);
}

void WatchClient::State::take(const Pause& /*pause*/) {
  pause(true, heard_);
}

void WatchClient::State::pause(bool paused, Clock::time_point now) {
  paused_ = paused;
  lease_.pause(paused, now);
}

// A connection without replies may be open on this side only, so the agent tries another one before the
// supervisor gives this node up. Time during which this process was suspended does not count as silence. A
// supervisor that its user has suspended reads nothing, so one beat waits there for it.
void WatchClient::State::beat() {
  if (!session_) return;  // the session ended just as the timer expired
  const auto now = Clock::now();
  const auto interval = beat_interval(heartbeat_);
  const auto late = now - beat_timer_.expiry();
  if (late > interval) heard_ = std::min(now, heard_ + late);
  if (!paused_ && now - heard_ > doubt_time(heartbeat_))
    return closed(channel::SessionEnd::unreachable);
  if (!paused_ || !asked_) {
    outbox_.beat(reading(now));
    session_->send(to_text(FromAgent(Beat{.sent = reading(now), .supervisor = {}})));
    asked_ = true;
  }
  after(beat_timer_, interval, &State::beat);
}

void WatchClient::State::judge() {
  const auto now = Clock::now();
  if (stopped_ || !established() || standing_ == Standing::fence) return;
  if (jumps_.look(ClockJumps::read()).count() > 0) {
    lease_.doubt(now);
    beat();
  }
  const bool suspended = standing_ == Standing::hold && events_.suspended && events_.suspended();
  standing_ = lease_.judge(now, suspended);
  const auto silence = lease_.silence(now);
  const auto until = lease_.until(now);
  if (standing_ == Standing::go_on && until && events_.go_on) events_.go_on(*until);
  if (standing_ == Standing::hold && events_.hold) events_.hold(silence);
  if (standing_ == Standing::fence && events_.cut_off) events_.cut_off(silence);
  const bool doubts = silence >= doubt_time(heartbeat_);
  if (doubts && !std::exchange(doubts_, true) && events_.silent) events_.silent();
  doubts_ = doubts;
}

void WatchClient::State::judge_and_wait() {
  judge();
  if (stopped_ || standing_ == Standing::fence) return;
  after(silence_timer_, std::max(lease_.next() - Clock::now(), Clock::duration(0)),
        &State::judge_and_wait);
}

report::Moment WatchClient::State::moment(Clock::time_point time) const {
  const auto estimate = clock_.at(reading(time));
  if (estimate) return {.time = reading(time) + estimate->offset, .error = estimate->error};
  return {.time = time - created_, .error = unknown_error};
}

void WatchClient::State::finish(milliseconds deadline, std::function<void()> done) {
  done_ = std::move(done);
  if (!session_ && !connecting_ && !established()) return finished();
  send(std::vector<FromAgent>{Bye()});
  after(finish_timer_, deadline, &State::finished);
}

void WatchClient::State::finished() {
  stop();
  if (done_) asio::post(io_, std::exchange(done_, nullptr));
}

void WatchClient::State::stop() {
  stopped_ = true;
  session_.reset();
  for (auto* const timer : {&beat_timer_, &retry_timer_, &silence_timer_, &finish_timer_}) {
    timer->cancel();
  }
}

WatchClient::WatchClient(asio::io_context& io, channel::Client supervisor, milliseconds heartbeat,
                         bool fences, LinkEvents events)
    : state_(std::make_shared<State>(io, std::move(supervisor), heartbeat, fences,
                                     std::move(events))) {}

WatchClient::~WatchClient() {
  state_->stop();
}

void WatchClient::start(Hello hello) {
  state_->start(std::move(hello));
}

void WatchClient::send(FromAgent event) {
  std::vector<FromAgent> events;
  events.push_back(std::move(event));
  send(std::move(events));
}

void WatchClient::send(std::vector<FromAgent> events) {
  state_->send(std::move(events));
}

void WatchClient::send_once(const FromAgent& event) {
  state_->send_once(event);
}

bool WatchClient::send(const view::OutputPiece& piece) {
  return state_->send(piece);
}

bool WatchClient::established() const {
  return state_->established();
}

report::Moment WatchClient::moment(Clock::time_point time) const {
  return state_->moment(time);
}

void WatchClient::finish(milliseconds deadline, std::function<void()> done) {
  state_->finish(deadline, std::move(done));
}

}  // namespace muster::watch
