// Decides whether the ranks of a node may run, from what the agent knows about the supervisor. Pure; its
// tests use made-up clocks.
//
// An answered beat is a lease. It counts from the moment at which the agent sent the beat, because the
// supervisor heard from the node at that moment or later: a late answer, such as one that waited in a socket
// while the node was suspended, gives no more time than an early one. Without a lease, the agent suspends the
// ranks. It resumes them when the supervisor answers a later beat, and kills them if no answer arrives.
//
// Slurm may have suspended the job, and the supervisor of a batch job with it. The agent keeps running, and
// the supervisor cannot answer until Slurm resumes the job, so this time does not count. The agent suspends
// the ranks nevertheless: when Slurm resumes them, they must not run before the supervisor answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace muster::watch {

// From one beat to the next.
constexpr std::chrono::milliseconds beat_interval(std::chrono::milliseconds heartbeat) {
  return heartbeat / 10;
}

// The supervisor gives up a node after this much silence. The last beat before a pause may be an interval
// older than the pause, and the first one after it takes a moment. So a pause shorter than the heartbeat
// costs nothing.
constexpr std::chrono::milliseconds loss_time(std::chrono::milliseconds heartbeat) {
  return heartbeat + heartbeat / 8;
}

// How long a lease lasts. The next attempt does not start until it has expired.
constexpr std::chrono::milliseconds fence_time(std::chrono::milliseconds heartbeat) {
  return heartbeat + heartbeat / 5;
}

// After this much silence, the supervisor may be gone.
constexpr std::chrono::milliseconds doubt_time(std::chrono::milliseconds heartbeat) {
  return heartbeat * 2 / 3;
}

// Suspended ranks are killed after this time, which is long because the supervisor or its network may be
// suspended.
constexpr std::chrono::milliseconds hold_time(std::chrono::milliseconds heartbeat) {
  constexpr std::chrono::milliseconds least{60'000};
  return fence_time(heartbeat) > least ? fence_time(heartbeat) : least;
}

enum class Standing : std::uint8_t {
  go_on,
  hold,   // the ranks are suspended
  fence,  // the ranks are killed
};

class Lease {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `fences`: another attempt could start. Otherwise the ranks keep running whatever happens.
  Lease(std::chrono::milliseconds heartbeat, bool fences)
      : heartbeat_(heartbeat), fences_(fences) {}

  // Call it when the supervisor has answered a beat that was sent at that time. The first answer begins the
  // lease.
  void answered(Time sent);

  // Earlier answers no longer count: the node may have been suspended while its clock was stopped, or the
  // other end has closed the connection.
  void doubt(Time now);

  // The supervisor's host refuses the connection: the attempt is over, or the supervisor has ended. After a
  // few refusals, suspended ranks are killed, because Slurm would resume them (SIGCONT, SIGTERM) before it
  // ends what is left of the attempt.
  void refused() { ++refusals_; }

  // The user has suspended the supervisor (Ctrl-Z) and the connection to it is open, so no other attempt can
  // start. This applies only until the connection ends.
  void pause(bool paused, Time now);

  // Call it on each event and at next(). A fence is final. `suspended`: something other than muster keeps the
  // ranks from running; this matters only while they have no lease.
  Standing judge(Time now, bool suspended = false);
  [[nodiscard]] Time next() const { return next_; }

  // Until when the ranks may run if judge() is not called again; nullopt if there is no limit. A user may
  // resume a suspended supervisor at any time, which only another beat reveals.
  [[nodiscard]] std::optional<Time> until(Time now) const;

  [[nodiscard]] bool has_begun() const { return asked_.has_value(); }
  [[nodiscard]] std::chrono::nanoseconds silence(Time now) const;

 private:
  [[nodiscard]] bool is_valid(Time now) const;

  const std::chrono::milliseconds heartbeat_;
  const bool fences_;
  std::optional<Time> asked_;    // when the newest answered beat was sent
  std::optional<Time> doubted_;  // only the answer to a later beat counts
  bool paused_ = false;
  int refusals_ = 0;  // in succession
  // How long the ranks have been suspended by muster alone while this process was running. Time during which
  // this process was suspended does not count, because it could not contact the supervisor then.
  std::optional<std::chrono::nanoseconds> held_;
  Time judged_;
  Time next_;
};

}  // namespace muster::watch
