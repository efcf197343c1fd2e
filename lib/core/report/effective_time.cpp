#include "core/report/effective_time.hpp"

#include "core/cost/losses.hpp"
#include "core/report/moments.hpp"
#include "core/text/amounts.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace muster::report {
namespace {

using cost::Account;

// When the first rank stopped running.
Moment end_of_run(const Times& times) {
  if (times.failure) return *times.failure;
  if (times.ending) return *times.ending;
  return times.last_end.value_or(times.over);
}

std::string part(std::string_view name, cost::Time time) {
  return fmt::format("{} {}", name, text::duration(time));
}

std::string part_if_any(std::string_view name, cost::Time time) {
  return time.count() > 0 ? part(name, time) + ", " : std::string();
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
          .hung = attempt.hung};
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

std::string effective_text(const Account& time) {
  const auto share = cost::effective_share(time) * 100;
  auto text =
      time.has_progress
          ? fmt::format("trained {:.1f} % of {}; {}, {}, ", share, text::duration(time.wall),
                        part("lost work", time.lost_work), part("program start", time.startup))
          : fmt::format("all ranks ran {:.1f} % of {}; ", share, text::duration(time.wall));
  return text + part_if_any("queue", time.queue) + part_if_any("hang", time.hang) +
         fmt::format("{}, {}, {}, {}", part("start", time.start), part("detection", time.detection),
                     part("stop", time.stop), part("pauses", time.pauses));
}

}  // namespace muster::report
