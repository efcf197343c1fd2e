#include "core/report/unhandled_signal.hpp"

#include "core/report/exit_status.hpp"

#include <csignal>

#include <fmt/format.h>

namespace muster::report {

std::optional<int> unhandled_signal(const RankEnd& end) {
  const auto signal = end_signal(end.wait_status);
  if (end.ended_by_muster || (signal != SIGUSR1 && signal != SIGUSR2)) return std::nullopt;
  return signal;
}

// Lightning's documentation asks for SIGUSR1 before the time limit. But if the environment is torchrun's, as
// with the profile torch, Lightning registers no handler.
std::string unhandled_signal_hint(const Report& report) {
  const auto signal = report.first ? unhandled_signal(report.first->end) : report.unhandled_signal;
  if (!signal) return {};
  return fmt::format("the program does not handle {}{}", signal_name(*signal),
                     *signal == SIGUSR1
                         ? "; Lightning handles it with --distributed=lightning"
                         : "");
}

}  // namespace muster::report
