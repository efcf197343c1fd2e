// One node's share of a step, from the shim's request to the last task's exit. Each value is made from the
// previous one.
//
//   StepContext   what is known about the step
//   PreparedNode  what this node can do by itself
//   Agreement     what the agents have agreed on
//   PlannedNode   this node's plan, and what must live as long as the plan
#pragma once

#include "launcher/agent/agreement.hpp"
#include "launcher/agent/context.hpp"
#include "launcher/agent/monitored_step.hpp"
#include "launcher/agent/planning.hpp"
#include "launcher/agent/watches.hpp"
#include "launcher/site/site.hpp"
#include "wire/messages.hpp"

#include <optional>
#include <string>
#include <utility>

namespace muster::agent {

class Step {
 public:
  Step(wire::StepFacts facts, const site::SiteOptions& site);

  // The plan, once every node of the step has agreed to continue. Throws Error with the line for the user,
  // or Silent if another node shows that line.
  wire::NodePlan plan();

  [[nodiscard]] const std::string& node() const { return context_.node_name(); }

  // After the plan: what to check while the tasks run.
  Watches& watches() { return watches_; }
  [[nodiscard]] MonitoredStep monitored() const { return monitored_step(context_, *node_); }
  // Listens for clients of torch's store; empty if this agent does not serve it.
  os::Descriptor take_store() { return std::move(node_->store); }

 private:
  const StepContext context_;
  std::optional<PlannedNode> node_;
  Watches watches_;
};

}  // namespace muster::agent
