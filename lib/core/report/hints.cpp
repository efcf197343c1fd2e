#include "core/report/hints.hpp"

#include "core/at_store.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/screen.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace muster::report {
namespace {

constexpr std::size_t columns = max_report_columns - 14;  // without the name of the field

}  // namespace

std::string store_hint(const Report& report) {
  if (!report.first) return {};
  constexpr std::string_view words = "The client socket has timed out after ";
  if (reason_of(report.first->end).find(words) == std::string::npos) return {};
  return "no torch store answered at that address; if no rank serves one, store=agent makes muster serve it";
}

std::string missing_at_store(const Report& report) {
  if (!report.first) return {};
  // The server says the first, a client the second, and torch until 2.0 the others.
  constexpr std::array<std::string_view, 4> words{
      "waiting for clients", "wait timeout after ",
      "Timed out initializing process group in store based barrier", "Socket Timeout"};
  const auto reason = reason_of(report.first->end);
  const auto is_in_reason = [&](std::string_view each) {
    return reason.find(each) != std::string::npos;
  };
  if (std::ranges::none_of(words, is_in_reason)) return {};
  std::vector<NodeAtStore> nodes;
  for (const auto& node : report.nodes) nodes.push_back({node.name, node.at_store});
  return at_store_text(nodes, report.attempts.back().ranks, columns);
}

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
  return fmt::format(
      "the program does not handle {}{}", signal_name(*signal),
      *signal == SIGUSR1 ? "; Lightning handles it with --distributed=lightning" : "");
}

}  // namespace muster::report
