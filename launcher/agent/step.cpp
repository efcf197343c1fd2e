#include "launcher/agent/step.hpp"

#include "launcher/agent/message.hpp"
#include "launcher/agent/preparation.hpp"
#include "launcher/agent/presentation.hpp"

#include <utility>

namespace muster::agent {

Step::Step(wire::StepFacts facts, const site::SiteOptions& site)
    : context_(read_context(std::move(facts), site)) {}

wire::NodePlan Step::plan() {
  node_ = plan_node(context_, agree(context_, prepare(context_)));
  node_->plan.warnings = present(context_, *node_);
  watches_ = Watches(context_, *node_);
  return message_of(context_, *node_);
}

}  // namespace muster::agent
