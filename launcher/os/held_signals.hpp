// Signals that would end this process, held back for as long as it has something to finish: whoever waits
// asks whether one has come.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <csignal>
#include <optional>

namespace muster::os {

class HeldSignals {
 public:
  using Clock = std::chrono::steady_clock;

  // SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1 and SIGUSR2, without those that this process ignores: in this
  // thread and those that it starts. Throws Error, one line, if the system refuses.
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();  // lets them through

  // Back to how it was: what has come and was not taken comes now.
  void let_through();

  // The first that has come, or comes before that time.
  [[nodiscard]] std::optional<int> take_until(Clock::time_point time) const;

  // Readable while one waits to be taken.
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }

  // What children begin with.
  [[nodiscard]] const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t before_{};
  bool held_ = true;
  Descriptor descriptor_;
};

// Until that time, or until the descriptor is readable: then true. With -1 there is no such thing.
bool interrupted_before(std::chrono::steady_clock::time_point time, int descriptor);

}  // namespace muster::os
