// The user's progress file, which shows how far an attempt gets.
#pragma once

#include "core/cost/attempt.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <string>

namespace muster::attempts {

// What changes when the program gets further: the first 4 KiB of the file, and if it is longer, its size and
// its last 4 KiB. Empty if it cannot be read: that counts as no progress.
std::string progress_of(const std::string& file);

// Looks at the file again and again while an attempt runs: at first every 50 ms, later once a second. Its
// thread may hang with the file's file system without holding anybody up.
class ProgressWatch {
 public:
  // `start`: moment 0 of the marks.
  ProgressWatch(std::string file, std::chrono::steady_clock::time_point start);
  ProgressWatch(const ProgressWatch&) = delete;
  ProgressWatch& operator=(const ProgressWatch&) = delete;
  ~ProgressWatch() { stop(); }

  // Call it after all forks.
  void start();

  // Looks once more, and ends the thread; waits for it at most a second.
  void stop();

  // When the file was written so far, and what number it had.
  [[nodiscard]] cost::Progress marks() const;

 private:
  struct Shared;
  static void watch(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
  std::future<void> done_;
};

}  // namespace muster::attempts
