// A signal that arrives between two attempts, when there is no srun to pass it on to. It ends the run, as
// it would during an attempt (supervision/user_signals.cpp).
#pragma once

#include "core/report/report.hpp"
#include "launcher/os/held_signals.hpp"

#include <chrono>
#include <csignal>
#include <optional>
#include <string>

namespace muster::attempts {

class Interruption {
 public:
  using Clock = std::chrono::steady_clock;

  // Holds the signals from now on. `start`: moment 0 of the reports. Throws Error.
  explicit Interruption(Clock::time_point start) : start_(start) {}

  // Waits until that time or until the first signal. True if a signal has arrived.
  bool before(Clock::time_point time);
  [[nodiscard]] bool is_there() const { return signal_.has_value(); }

  // Becomes readable when a signal has arrived that before() has not taken yet.
  [[nodiscard]] int descriptor() const { return signals_.descriptor(); }

  // Discards the signals that have arrived since the run ended: they do not change its exit code.
  void forget_later_ones() const;

  // From now on a signal ends this process.
  void let_through() { signals_.let_through(); }

  // Whether Slurm may have sent it to warn of the end of the allocation: SIGTERM, SIGUSR1 or SIGUSR2.
  [[nodiscard]] bool is_warning() const;

  // For the user, one clause. This function and the next may only be called after a signal.
  [[nodiscard]] std::string why() const;
  [[nodiscard]] int exit_code() const;

  // The last attempt's report with this signal and its exit code: the report of the run.
  [[nodiscard]] report::Report in(report::Report report) const;

  [[nodiscard]] const sigset_t& mask_before() const { return signals_.mask_before(); }

 private:
  const Clock::time_point start_;
  os::HeldSignals signals_;
  std::optional<int> signal_;
  Clock::time_point came_;
};

}  // namespace muster::attempts
