// Runs work in a forked process while this process does something else. The child ends with this process at
// the latest, and may outlive the thread that started it.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace muster::os {

class BackgroundChild {
 public:
  // Forks. The child has none of our descriptors but those in `kept`, and exits when the work is done. If the
  // fork fails, nothing runs.
  explicit BackgroundChild(const std::function<void()>& work, std::vector<int> kept = {});
  BackgroundChild(const BackgroundChild&) = delete;
  BackgroundChild& operator=(const BackgroundChild&) = delete;
  ~BackgroundChild();  // kills it

  [[nodiscard]] bool runs();

  // -1 once runs() has found that it has ended.
  [[nodiscard]] pid_t pid() const { return child_; }

  // After it has ended: 0 if the work returned, 1 if it threw, or the value passed to _exit(). No value if
  // there was no process, or if a signal ended it.
  [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }

  // Waits until it has ended or the deadline has passed.
  void wait_until(std::chrono::steady_clock::time_point deadline);

 private:
  pid_t child_ = -1;
  Descriptor lifeline_;
  std::optional<int> exit_code_;
};

}  // namespace muster::os
