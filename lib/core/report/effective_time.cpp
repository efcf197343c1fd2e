#include "core/report/effective_time.hpp"

#include "core/cost/losses.hpp"
#include "core/report/moments.hpp"

#include <vector>

namespace muster::report {
namespace {

using cost::Account;

// When the first rank stopped running.
Moment end_of_run(const Times& times) {
  if (times.failure) return *times.failure;
  if (times.ending) return *times.ending;
  return times.last_end.value_or(times.over);
}

}  // namespace

cost::Attempt cost_of(const AttemptSummary& attempt) {
  const auto& times = attempt.times;
  const auto time = [](const std::optional<Moment>& moment) {
    return moment ? std::optional(moment->time) : std::nullopt;
  };
  return {.launched = times.launched.time,
          .all_started = time(times.all_started),
          .ceased = end_of_run(times).time,
          .ending = times.failure ? time(times.ending) : std::nullopt,
          .over = times.over.time,
          .asleep = times.asleep,
          .hung = attempt.hung,
          .group = time(times.process_group),
          .held_up = attempt.held_up,
          .gpus = attempt.gpus};
}

Account effective_time(std::span<const AttemptSummary> attempts) {
  std::vector<cost::Attempt> costs;
  std::vector<cost::Loss> losses;
  for (const auto& attempt : attempts) {
    costs.push_back(cost_of(attempt));
    losses.push_back(attempt.loss);
  }
  return cost::account(costs, losses);
}

Account effective_time(const Report& report) {
  return cost::sum(report.earlier, effective_time(report.attempts));
}

}  // namespace muster::report
