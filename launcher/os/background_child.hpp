// Work that goes on in a forked process while this one does something else. It does not outlive this one, and
// outlives the thread that has started it.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <functional>
#include <optional>

#include <sys/types.h>

namespace muster::os {

class BackgroundChild {
 public:
  // Forks. The child has none of our descriptors, and ends with the work. Where there is no process to be
  // had, nothing runs.
  explicit BackgroundChild(const std::function<void()>& work);
  BackgroundChild(const BackgroundChild&) = delete;
  BackgroundChild& operator=(const BackgroundChild&) = delete;
  ~BackgroundChild();  // kills it

  [[nodiscard]] bool runs();

  // Once it no longer runs: 0 where the work has returned, 1 where it has thrown, or what it gave _exit().
  // Nothing where there was no process, or a signal has ended it.
  [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }

  // Until it has ended, or that time.
  void wait_until(std::chrono::steady_clock::time_point deadline);

 private:
  pid_t child_ = -1;  // where it has ended, too
  Descriptor lifeline_;
  std::optional<int> exit_code_;
};

}  // namespace muster::os
