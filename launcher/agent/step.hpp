// One node's share of a step, from the shim's question to the last task's exit. Each value is made
// from the one before.
//
//   StepContext   what is known of the step
//   PreparedNode  what this node can do by itself
//   Agreement     what the agents have agreed on
//   PlannedNode   this node's plan, and what must last as long as the plan
#pragma once

#include "launcher/affinity_watch/watch.hpp"
#include "launcher/agent/agreement.hpp"
#include "launcher/agent/context.hpp"
#include "launcher/agent/planning.hpp"
#include "launcher/agent/port_guard.hpp"
#include "launcher/site/site.hpp"
#include "wire/messages.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::agent {

class Step {
 public:
  using Clock = std::chrono::steady_clock;

  Step(wire::StepFacts facts, const site::SiteOptions& site);

  // The plan, after every node of the step has agreed to go on. Throws Error with the line for the
  // user, or Silent if another node shows it.
  wire::NodePlan plan();

  [[nodiscard]] const std::string& node() const { return context_.node_name(); }

  // After the plan, while tasks run: when to look at them again. Nothing if there is no need.
  [[nodiscard]] std::optional<Clock::time_point> next_look() const;
  void look();

  // The kernel did not bind this task.
  void unbound(std::uint32_t local_id);

 private:
  const StepContext context_;
  std::optional<PlannedNode> node_;
  std::optional<affinity_watch::AffinityWatch> watch_;  // if the user asked for verbose
  std::optional<PortGuard> guard_;                      // if this node holds ports for tasks
};

}  // namespace muster::agent
