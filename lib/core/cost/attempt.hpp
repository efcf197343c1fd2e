// What is kept about an attempt to say what it cost: when it ran, and how far its program got. Plain data.
// All times are on one clock, which may be any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace muster::cost {

using Time = std::chrono::nanoseconds;

// Times may come from other nodes. They are limited to 73 years so that no sum overflows.
Time bounded(Time time);

// The user's progress file was written.
struct Mark {
  Time time{0};
  std::optional<double> step = {};  // no value if the file has no number

  friend bool operator==(const Mark&, const Mark&) = default;
};

inline constexpr std::size_t max_marks = 512;
inline constexpr std::size_t first_marks = 16;  // always kept: they show how long a step takes

// The marks of an attempt, in order. Of many, some are dropped: never the first ones or the last one.
class Progress {
 public:
  Progress() = default;
  explicit Progress(const std::vector<Mark>& marks);

  // A mark before the last one counts as one at that moment.
  void add(Mark mark);

  // At most `count` of the marks, at least `first_marks`.
  [[nodiscard]] std::vector<Mark> thinned(std::size_t count) const;

  [[nodiscard]] const std::vector<Mark>& marks() const { return marks_; }

  // Whether every mark has a step, and no step is lower than the one before.
  [[nodiscard]] bool has_steps() const;

  friend bool operator==(const Progress&, const Progress&) = default;

 private:
  std::vector<Mark> marks_;
};

struct Attempt {
  Time launched{0};
  std::optional<Time> all_started = {};  // when the last rank started; no value if one has not
  Time ceased{0};                        // when the first rank stopped running, or a hang began
  std::optional<Time> ending = {};  // after a failure: when muster began to stop the other ranks
  Time over{0};
  Time asleep{0};              // the supervisor was suspended while ranks may have been stopped
  bool hung = false;           // it was stopped because of a hang
  bool after_requeue = false;  // it was launched after a wait in Slurm's queue
  Progress progress = {};
  // When torch's process group stood on every rank; no value if the start hook has not told.
  std::optional<Time> group = {};
  Time held_up{0};         // by slow ranks, as far as slow= has seen
  std::uint32_t gpus = 0;  // that the step had; 0 if no node has told

  friend bool operator==(const Attempt&, const Attempt&) = default;
};

}  // namespace muster::cost
