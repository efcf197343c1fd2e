// Decides when to ask a node's ranks to stop, when to kill them, and when to give up. Pure: Monitor::act() in
// agent/monitor.cpp sends the signals.
//
//   begin   SIGTERM to every rank and its descendants (Ranks::ask_to_stop), immediately; repeated each second
//           until the grace period is over, for programs that have been started since
//   grace   then SIGKILL, repeated a few times: a process may be forked between the look and the signal
//   2 s     then everything that has not ended is reported
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace muster::ranks {

class Ending {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Act : std::uint8_t { terminate, kill, give_up };

  static constexpr std::chrono::milliseconds kill_timeout{2000};
  static constexpr std::chrono::milliseconds ask_interval{1000};

  // May be called again to change the grace period, which is always counted from the first call.
  void begin(Time now, std::chrono::milliseconds grace);

  [[nodiscard]] bool begun() const { return kill_at_.has_value(); }

  // True once the first SIGKILL is due.
  [[nodiscard]] bool kills() const { return kills_ > 0; }

  // When the next act is due; no value before the beginning and after the last.
  [[nodiscard]] std::optional<Time> next() const;

  // What is due now; no value if nothing is.
  std::optional<Act> due(Time now);

 private:
  std::optional<Time> kill_at_;
  Time terminate_at_;
  std::optional<Time> ask_at_;  // the next time
  std::size_t kills_ = 0;
  Time next_kill_;
  Time give_up_at_;
  bool given_up_ = false;
};

}  // namespace muster::ranks
