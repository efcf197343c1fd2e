#include "core/restart/lost_host.hpp"

#include <algorithm>

namespace muster::restart {

LostHost decide_lost_host(const LostHostRules& rules, const HostlessJob& first,
                          const HostlessJob& now, Successor successor) {
  const bool same_run = now.job.requeues == rules.requeues_before;
  const bool same_host = now.job.batch_host == rules.host || !rules.step.empty();
  if (now.job.state != "RUNNING" || !same_run || !same_host) return LostHost::leave;
  // A supervisor that has lost only this node has already begun its next attempt.
  if (!std::ranges::includes(first.steps, now.steps)) return LostHost::leave;
  if (!now.host_lost) return LostHost::wait;
  if (now.successor && successor == Successor::awaited) return LostHost::succeed;
  const bool permitted = !rules.requeue || rules.requeues_before < *rules.requeue;
  return now.job.may_requeue && permitted ? LostHost::requeue : LostHost::cancel;
}

std::optional<std::uint32_t> place_of(std::uint32_t node, std::uint32_t nodes) {
  const auto apart = std::max((nodes + max_searchers - 1) / max_searchers, 1U);
  if (node % apart != 0) return std::nullopt;
  return node / apart;
}

}  // namespace muster::restart
