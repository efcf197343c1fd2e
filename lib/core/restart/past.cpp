#include "core/restart/past.hpp"

#include <utility>

namespace muster::restart {
namespace {

std::string first_node_of(const report::Report& report) {
  if (report.cause == report::Cause::node) {
    return report.lost_nodes.empty() ? std::string() : report.lost_nodes.front().node;
  }
  return report.first ? report.first->node : std::string();
}

std::optional<Time> time_of(const std::optional<report::Moment>& moment) {
  return moment ? std::optional(moment->time) : std::nullopt;
}

}  // namespace

Past past_of(const report::Report& report, std::optional<std::string> progress) {
  const report::Times& times = report.times;
  return {.number = report.attempts.back().number,
          .result = report.result,
          .cause = report.cause,
          .exit_code = report.first ? failure_code(*report.first) : report.exit_code,
          .first_node = first_node_of(report),
          .launched = times.launched.time,
          .first_start = time_of(times.first_start),
          .failed = times.failure.value_or(times.over).time,
          .over = times.over.time,
          .progress = std::move(progress)};
}

}  // namespace muster::restart
