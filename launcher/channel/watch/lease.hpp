// Whether the ranks of a node may run: the agent decides it by what it knows of the supervisor. Pure, and
// on made-up clocks in its tests.
//
// An answered beat is a lease. It counts from the moment at which the agent sent the beat, because the
// supervisor has heard the node at that moment or later: a late answer, such as one that waited in a socket
// while the node slept, gives no more time than an early one. Without a lease the ranks stand still. They
// go on when the supervisor answers a beat that was sent after that, and are killed if it does not.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace muster::watch {

// From one beat to the next.
constexpr std::chrono::milliseconds beat_interval(std::chrono::milliseconds heartbeat) {
  return heartbeat / 10;
}

// The supervisor takes a node for lost that it has not heard for so long. The last beat before a pause may
// be an interval older than the pause, and the first one after it needs a moment: a pause that is shorter
// than the heartbeat costs nothing.
constexpr std::chrono::milliseconds loss_time(std::chrono::milliseconds heartbeat) {
  return heartbeat + heartbeat / 8;
}

// How long a lease lasts. The next attempt does not begin before that.
constexpr std::chrono::milliseconds fence_time(std::chrono::milliseconds heartbeat) {
  return heartbeat + heartbeat / 5;
}

// After so long the supervisor's silence may be its end.
constexpr std::chrono::milliseconds doubt_time(std::chrono::milliseconds heartbeat) {
  return heartbeat * 2 / 3;
}

// Ranks that stand still for so long are killed: the supervisor or its network may sleep for some time.
constexpr std::chrono::milliseconds hold_time(std::chrono::milliseconds heartbeat) {
  constexpr std::chrono::milliseconds least{60'000};
  return fence_time(heartbeat) > least ? fence_time(heartbeat) : least;
}

enum class Standing : std::uint8_t {
  go_on,
  hold,   // the ranks stand still
  fence,  // they are killed
};

class Lease {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `fences`: another attempt could start. Otherwise the ranks go on whatever happens.
  Lease(std::chrono::milliseconds heartbeat, bool fences)
      : heartbeat_(heartbeat), fences_(fences) {}

  // The supervisor has answered a beat that was sent then. The first answer begins the lease.
  void answered(Time sent);

  // What came before now counts no longer: the node may have slept while its clock stood still, or the
  // other end has ended the connection.
  void doubt(Time now);

  // The supervisor's host answers that nobody listens there any more: the attempt is over, or the supervisor
  // has ended. Ranks that stand still are killed as soon as it has said so a few times: Slurm, which ends
  // what is left of the attempt, lets them go on first (SIGCONT, SIGTERM).
  void refused() { ++refusals_; }

  // The user has stopped the supervisor (Ctrl-Z), and the connection to it stands: no other attempt can
  // start. A connection that ends takes that back.
  void pause(bool paused, Time now);

  // To be asked at each event and at `next`. A fence is final.
  Standing judge(Time now);
  [[nodiscard]] Time next() const { return next_; }

  // Until when the ranks may run if nobody asks any more; nothing where they may without an end. A user who
  // has stopped the supervisor lets it go on at any time: that is not known without asking.
  [[nodiscard]] std::optional<Time> until(Time now) const;

  [[nodiscard]] bool has_begun() const { return asked_.has_value(); }
  [[nodiscard]] std::chrono::nanoseconds silence(Time now) const;

 private:
  [[nodiscard]] bool is_valid(Time now) const;

  const std::chrono::milliseconds heartbeat_;
  const bool fences_;
  std::optional<Time> asked_;    // when the newest beat was sent that has been answered
  std::optional<Time> doubted_;  // only the answer to a later beat counts
  bool paused_ = false;
  int refusals_ = 0;  // one after the other
  // For how long the ranks have stood still while this process ran. What it slept is not counted: the
  // supervisor could not be asked meanwhile.
  std::optional<std::chrono::nanoseconds> held_;
  Time judged_;
  Time next_;
};

}  // namespace muster::watch
