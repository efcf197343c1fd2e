#include "launcher/supervisor/attempts/run_status.hpp"

#include "core/cost/losses.hpp"
#include "core/report/verdict.hpp"
#include "core/restart/attempt_history.hpp"

#include <algorithm>
#include <vector>

namespace muster::attempts {
namespace {

// When the last node's first rank started; no value if one has not.
std::optional<cost::Time> all_started(const watch::Observations& seen) {
  std::optional<cost::Time> last;
  for (const auto& node : seen.nodes) {
    if (!node.started) return std::nullopt;
    last = std::max(last, {node.started->time});
  }
  return last;
}

// When the last node's ranks had torch's process group; no value if one of the nodes has not told.
std::optional<cost::Time> process_group(const watch::Observations& seen) {
  std::optional<cost::Time> last;
  for (const auto& node : seen.nodes) {
    if (!node.group) return std::nullopt;
    last = std::max(last, {node.group->time});
  }
  return last;
}

std::uint32_t gpus_of(const watch::Observations& seen) {
  std::uint32_t gpus = 0;
  for (const auto& node : seen.nodes) gpus += node.gpus;
  return gpus;
}

cost::Attempt cost_of(const RunningCost& running, const watch::Observations& seen) {
  cost::Attempt attempt{.launched = running.launched,
                        .all_started = all_started(seen),
                        .ceased = running.hung_since.value_or(running.now),
                        .over = running.now,
                        .hung = running.hung_since.has_value(),
                        .after_requeue = running.after_requeue,
                        .progress = running.progress,
                        .group = process_group(seen),
                        .held_up = running.held_up,
                        .gpus = gpus_of(seen)};
  if (attempt.hung) attempt.ending = running.now;
  return attempt;
}

std::optional<double> last_step(std::span<const cost::Attempt> attempts) {
  if (attempts.empty()) return std::nullopt;
  const auto& marks = attempts.back().progress.marks();
  return marks.empty() ? std::nullopt : marks.back().step;
}

}  // namespace

status::Run run_of(status::Run run, std::span<const restart::AttemptHistory> past,
                   const std::optional<RunningCost>& running, const watch::Observations& seen) {
  std::vector<cost::Attempt> attempts;
  for (const auto& attempt : past) {
    if (attempt.cost) attempts.push_back(*attempt.cost);
  }
  if (running) attempts.push_back(cost_of(*running, seen));
  const auto dot = std::min(seen.step.find('.'), seen.step.size());
  if (run.job.empty()) run.job = seen.step.substr(0, dot);
  if (run.step.empty() && dot < seen.step.size()) run.step = seen.step.substr(dot + 1);
  run.attempts = static_cast<std::uint32_t>(past.size()) + (running ? 1 : 0);
  // The last attempt has not been followed by another.
  const auto followed = past.first(running || past.empty() ? past.size() : past.size() - 1);
  for (const auto& attempt : followed) {
    const auto cause = attempt.cause ? std::string(report::to_string(*attempt.cause)) : "unknown";
    ++run.restarts[cause];
  }
  run.time = cost::account(attempts, cost::losses(attempts));
  run.hung = running && running->hung_since;
  run.progress = last_step(attempts);
  run.gpus = gpus_of(seen);
  return run;
}

}  // namespace muster::attempts
