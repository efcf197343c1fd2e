#include "core/restart/attempt_history.hpp"

#include "core/report/effective_time.hpp"
#include "core/report/report.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace muster::restart {
namespace {

// Within this time of its start, a server (TCPStore, Gloo, gRPC, a Python socket) notices that its port is
// taken.
constexpr std::chrono::minutes server_start_time{2};

bool says_taken(std::string_view text) {
  return text.find("EADDRINUSE") != std::string_view::npos ||
         text.find("ddress already in use") != std::string_view::npos;
}

bool found_port_taken(const report::Report& report) {
  const auto& times = report.times;
  if (report.cause != report::Cause::program || !report.first || !times.first_start) return false;
  if (report.first->time.time > times.first_start->time + server_start_time) return false;
  const auto& end = report.first->end;
  if (end.exception) return says_taken(end.exception->message);
  return std::ranges::any_of(end.last_lines, says_taken);
}

std::string first_node_of(const report::Report& report) {
  if (report.cause == report::Cause::node) {
    return report.lost_nodes.empty() ? std::string() : report.lost_nodes.front().node;
  }
  if (report.hang) return report.hang->node;
  if (!report.first) return {};
  // If it is not certain which rank failed first, a node is blamed only if all suspects ran there.
  const auto elsewhere = [&report](const report::FailedRank& rank) {
    return !rank.end.ended_by_muster && rank.node != report.first->node;
  };
  return std::ranges::any_of(report.suspects, elsewhere) ? std::string() : report.first->node;
}

std::optional<Time> time_of(const std::optional<report::Moment>& moment) {
  return moment ? std::optional(moment->time) : std::nullopt;
}

}  // namespace

AttemptHistory history_of(const report::Report& report, std::optional<std::string> progress,
                          cost::Progress marks) {
  const report::Times& times = report.times;
  auto cost = report::cost_of(report.attempts.back());
  cost.progress = std::move(marks);
  return {.number = report.attempts.back().number,
          .result = report.result,
          .cause = report.cause,
          .exit_code = report.first ? failure_code(*report.first) : report.exit_code,
          .first_node = first_node_of(report),
          .launched = times.launched.time,
          .first_start = time_of(times.first_start),
          .failed = times.failure.value_or(times.over).time,
          .over = times.over.time,
          .progress = std::move(progress),
          .port_taken = found_port_taken(report),
          .cost = std::move(cost)};
}

}  // namespace muster::restart
