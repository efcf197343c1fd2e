#include "core/restart/costs.hpp"

#include "core/cost/losses.hpp"
#include "core/report/report.hpp"

#include <algorithm>
#include <vector>

namespace muster::restart {
namespace {

// The time between the end of the earlier attempts and the launch of the next one.
void add_wait(cost::Account& earlier, const cost::Attempt& last, const cost::Attempt& next) {
  const auto wait =
      std::max(cost::bounded(next.launched) - cost::bounded(last.over), cost::Time(0));
  (next.after_requeue ? earlier.queue : earlier.pauses) += wait;
  earlier.wall += wait;
  if (!next.after_requeue && last.gpus > 0)
    earlier.lost_gpus["pause"] += std::chrono::duration<double>(wait).count() * last.gpus;
}

}  // namespace

void add_costs(report::Report& report, std::span<const AttemptHistory> past) {
  std::vector<cost::Attempt> costs;
  std::vector<std::size_t> number;  // of each: its place in `past`
  for (std::size_t i = 0; i < past.size(); ++i) {
    if (!past[i].cost) continue;
    costs.push_back(*past[i].cost);
    number.push_back(i);
  }
  const auto losses = cost::losses(costs);
  const auto before = past.size() - std::min(report.attempts.size(), past.size());
  std::size_t earlier = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (number[i] < before) ++earlier;
    if (number[i] >= before) report.attempts[number[i] - before].loss = losses[i];
  }
  if (earlier == 0) return;
  report.earlier = cost::account(std::span(costs).first(earlier), std::span(losses).first(earlier));
  if (earlier < costs.size()) add_wait(report.earlier, costs[earlier - 1], costs[earlier]);
}

}  // namespace muster::restart
