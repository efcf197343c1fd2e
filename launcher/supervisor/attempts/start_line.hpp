// One line on the terminal while ranks start: "nodes ready 3/4, ranks up 12/16, attempt 1, 4 s". It goes
// before anything else is written there, and nothing of it reaches a file or a pipe.
//
// Only where the ranks' output comes through the live view, so that the line can be erased first: without
// logs= srun writes to the same terminal, and nobody knows when.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace muster::attempts {

class StartLine {
 public:
  using Clock = std::chrono::steady_clock;

  // `terminal`: where it is shown; nothing is written where that is no terminal, or a dumb one.
  StartLine(int terminal, bool wanted);
  StartLine(const StartLine&) = delete;
  StartLine& operator=(const StartLine&) = delete;
  ~StartLine() { end(); }

  // When to draw again; nothing where there is no line any more.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  // In place of what it was. Never waits: a terminal that stands still is left alone.
  void draw(const std::string& text);

  // From any thread: something else is about to be written; for now, or for good.
  void erase();
  void end();

 private:
  void erase_drawn();
  [[nodiscard]] bool takes() const;

  const int terminal_;
  mutable std::mutex mutex_;
  bool on_;
  bool drawn_ = false;
  Clock::time_point next_ = Clock::now();
};

}  // namespace muster::attempts
