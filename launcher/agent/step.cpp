#include "launcher/agent/step.hpp"

#include "launcher/agent/message.hpp"
#include "launcher/agent/preparation.hpp"
#include "launcher/agent/presentation.hpp"
#include "launcher/step/facts.hpp"

#include <utility>

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

}  // namespace

Step::Step(wire::StepFacts facts, const site::SiteOptions& site)
    : context_(read_context(std::move(facts), site)) {}

wire::NodePlan Step::plan() {
  node_ = plan_node(context_, agree(context_, prepare(context_)));
  node_->plan.warnings = present(context_, *node_);
  watch_ = watch_over(context_, node_->plan);
  return message_of(context_, *node_);
}

affinity_watch::AffinityWatch* Step::watch() {
  return watch_ ? &*watch_ : nullptr;
}

}  // namespace muster::agent
