// When a node's ranks are asked to end, when they are made to, and when they are given up. Pure: the
// time goes in, and Monitor::act() in agent/monitor.cpp sends the signals.
//
//   begin   SIGTERM to every rank and everything below it, at once
//   grace   then SIGKILL, again a few times: a process may be forked between the look and the signal
//   2 s     then whatever has not ended is named
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

  // Said again, it can change the grace, which is counted from the first time.
  void begin(Time now, std::chrono::milliseconds grace);

  [[nodiscard]] bool begun() const { return kill_at_.has_value(); }

  // From the first SIGKILL on.
  [[nodiscard]] bool kills() const { return kills_ > 0; }

  // When the next act is due; nothing before the beginning and after the last.
  [[nodiscard]] std::optional<Time> next() const;

  // What is due; nothing before its time.
  std::optional<Act> due(Time now);

 private:
  std::optional<Time> kill_at_;
  Time terminate_at_;
  bool terminated_ = false;
  std::size_t kills_ = 0;
  Time next_kill_;
  Time give_up_at_;
  bool given_up_ = false;
};

}  // namespace muster::ranks
