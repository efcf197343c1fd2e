// One line on the terminal while ranks start: "nodes ready 3/4, ranks up 12/16, attempt 1, 4 s". It is erased
// before anything else is written there, and never reaches a file or a pipe.
//
// It needs the live view, which can erase the line before it shows output. Without logs= srun writes to the
// same terminal, and muster does not know when.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace muster::attempts {

class StartLine {
 public:
  using Clock = std::chrono::steady_clock;

  // `terminal`: where the line is shown. Nothing is written unless it is a terminal with control sequences.
  StartLine(int terminal, bool wanted);
  StartLine(const StartLine&) = delete;
  StartLine& operator=(const StartLine&) = delete;
  ~StartLine() { end(); }

  // When to draw the line again; no value once it has been erased for good.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  // Replaces the line. Never blocks: nothing is written to a terminal that is stopped.
  void draw(const std::string& text);

  // Called from any thread before something else is written: erases the line, temporarily or for good.
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
