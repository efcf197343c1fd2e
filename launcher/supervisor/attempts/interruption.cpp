#include "launcher/supervisor/attempts/interruption.hpp"

#include "core/report/exit_status.hpp"

namespace muster::attempts {

bool Interruption::before(Clock::time_point time) {
  if (signal_) return true;
  signal_ = signals_.take_until(time);
  came_ = Clock::now();
  return signal_.has_value();
}

void Interruption::forget_later_ones() const {
  while (signals_.take_until(Clock::time_point::min())) {
  }
}

bool Interruption::is_warning() const {
  return signal_ == SIGTERM || signal_ == SIGUSR1 || signal_ == SIGUSR2;
}

std::string Interruption::why() const {
  return report::signal_name(signal_.value_or(0)) + " arrived between two attempts";
}

int Interruption::exit_code() const {
  return 128 + signal_.value_or(0);
}

report::Report Interruption::in(report::Report report) const {
  report.exit_code = exit_code();
  report.signals.push_back({.number = signal_.value_or(0), .time = {came_ - start_, {}}});
  return report;
}

}  // namespace muster::attempts
