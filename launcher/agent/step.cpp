#include "launcher/agent/step.hpp"

#include "launcher/agent/message.hpp"
#include "launcher/agent/preparation.hpp"
#include "launcher/agent/presentation.hpp"
#include "launcher/step/facts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <unistd.h>

namespace muster::agent {
namespace {

std::optional<affinity_watch::AffinityWatch> watch_over(const StepContext& context,
                                                        const plan::NodePlan& plan) {
  const auto supervisor = context.supervisor();
  if (!context.request().verbose || !supervisor) return std::nullopt;
  return affinity_watch::AffinityWatch(
      affinity_watch::AffinityChanges(plan, context.facts.arguments), step::run_id(context.name),
      supervisor);
}

std::optional<PortGuard> guard(const StepContext& context, const PlannedNode& node) {
  std::vector<rendezvous::Port> ports;
  if (node.ports.rendezvous) ports.push_back(node.ports.rendezvous->port());
  for (const auto& held : node.task_ports) ports.push_back(held.port());
  if (ports.empty() || context.request().dry_run) return std::nullopt;
  return PortGuard(port::ListenerWatch(std::move(ports), geteuid()), context.node_name(),
                   step::run_id(context.name), context.supervisor());
}

}  // namespace

Step::Step(wire::StepFacts facts, const site::SiteOptions& site)
    : context_(read_context(std::move(facts), site)) {}

wire::NodePlan Step::plan() {
  node_ = plan_node(context_, agree(context_, prepare(context_)));
  node_->plan.warnings = present(context_, *node_);
  watch_ = watch_over(context_, node_->plan);
  guard_ = guard(context_, *node_);
  return message_of(context_, *node_);
}

std::optional<Step::Clock::time_point> Step::next_look() const {
  const auto binding = watch_ ? watch_->next() : std::nullopt;
  const auto ports = guard_ ? guard_->next() : std::nullopt;
  if (!binding || !ports) return binding ? binding : ports;
  return std::min(*binding, *ports);
}

void Step::look() {
  const auto due = [now = Clock::now()](auto next) { return next && *next <= now; };
  if (guard_ && due(guard_->next())) guard_->look();
  if (watch_ && due(watch_->next())) watch_->look();
}

void Step::unbound(std::uint32_t local_id) {
  if (watch_) watch_->forget(local_id);
}

}  // namespace muster::agent
