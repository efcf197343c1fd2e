// Holds back signals that would end this process while it has something to finish: code that waits can ask
// whether one has arrived.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <csignal>
#include <optional>

namespace muster::os {

class HeldSignals {
 public:
  using Clock = std::chrono::steady_clock;

  // Holds SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1 and SIGUSR2, except those that this process ignores, in
  // this thread and in those that it starts. Throws an Error of one line if the system refuses.
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();  // lets them through

  // Restores the previous state: signals that arrived and were not taken are delivered now.
  void let_through();

  // The first signal that has arrived, or arrives before that time.
  [[nodiscard]] std::optional<int> take_until(Clock::time_point time) const;

  // Readable while a signal is waiting to be taken.
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }

  // The signal mask with which children start.
  [[nodiscard]] const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t before_{};
  bool held_ = true;
  Descriptor descriptor_;
};

// Waits until that time, or until the descriptor is readable, and returns true in the latter case. -1: no
// descriptor.
bool interrupted_before(std::chrono::steady_clock::time_point time, int descriptor);

}  // namespace muster::os
