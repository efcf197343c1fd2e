// A signal that comes between two attempts, when there is no srun to pass it on to: it ends the training, as
// it would in an attempt.
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

  // Holds the signals from now on. `start`: time 0 of the reports. Throws Error.
  explicit Interruption(Clock::time_point start) : start_(start) {}

  // Waits until that time, or for the first signal: true if there is one.
  bool before(Clock::time_point time);
  [[nodiscard]] bool is_there() const { return signal_.has_value(); }

  // Readable once there is one that nobody has seen yet.
  [[nodiscard]] int descriptor() const { return signals_.descriptor(); }

  // The training has ended with an exit code of its own: what has come since does not change that.
  void forget_later_ones() const;

  // From now on a signal ends this process.
  void let_through() { signals_.let_through(); }

  // One by which Slurm says beforehand that the allocation ends: SIGTERM, SIGUSR1 or SIGUSR2.
  [[nodiscard]] bool is_warning() const;

  // For the user, one clause. Only after a signal, as the rest.
  [[nodiscard]] std::string why() const;
  [[nodiscard]] int exit_code() const;

  // The last attempt's report as the training's: its signal and its exit code.
  [[nodiscard]] report::Report in(report::Report report) const;

  [[nodiscard]] const sigset_t& mask_before() const { return signals_.mask_before(); }

 private:
  const Clock::time_point start_;
  os::HeldSignals signals_;
  std::optional<int> signal_;
  Clock::time_point came_;
};

}  // namespace muster::attempts
