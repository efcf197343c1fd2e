#include "launcher/agent/message.hpp"

#include "launcher/step/facts.hpp"
#include "wire/variables.hpp"

#include <string>
#include <utility>
#include <vector>

namespace muster::agent {
namespace {

// An address that the user has exported is kept.
std::vector<wire::Assignment> exchange_of(const StepContext& context, const PlannedNode& node) {
  if (context.environment.contains(wire::exchange_variable)) return {};
  return exchange_variables(
      node.exchange, step::exchange_key_of_step(context.attempt.key, step::run_id(context.name)));
}

}  // namespace

wire::NodePlan message_of(const StepContext& context, const PlannedNode& node) {
  auto message = to_wire(node.plan);
  if (node.errors) message.directory = node.errors->path();
  message.has_files = !node.files.empty();
  message.dry_run = context.request().dry_run;
  message.set.push_back({wire::planned_variable, step::run_id(context.name)});
  if (context.request().ranks == option::Ranks::contiguous) {
    message.set.push_back({wire::numbering_variable, "contiguous"});
  }
  for (auto& variable : exchange_of(context, node)) message.set.push_back(std::move(variable));
  // Removed first, then set: a variable without a value in this layout must not remain.
  message.unset = step::not_for_tasks(context.facts);
  for (const auto& file : node.files) message.unset.push_back(file.variable);
  return message;
}

}  // namespace muster::agent
