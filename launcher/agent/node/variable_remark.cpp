#include "launcher/agent/node/variable_remark.hpp"

#include "core/lint/lint.hpp"
#include "launcher/agent/node/library_settings.hpp"
#include "launcher/os/fabric_evidence.hpp"

#include <vector>

namespace muster::node {
namespace {

std::string where_of(const EnvVar& variable) {
  if (variable.origin == Origin::user) return "environment";
  return variable.where.empty() ? std::string(to_string(variable.origin)) : variable.where;
}

// As NCCL sees them: the environment takes precedence over its files.
std::vector<lint::Variable> variables_of(const plan::NodePlan& plan, const Environment& environment,
                                         const std::filesystem::path& root) {
  lint::Circumstances seen;
  const auto add = [&](lint::Variable variable) {
    if (lint::is_looked_at(variable.name) && seen.find(variable.name) == nullptr)
      seen.variables.push_back(std::move(variable));
  };
  if (!plan.tasks.empty()) {
    for (const auto& variable : plan.tasks.front().variables)
      add({variable.name, variable.value, where_of(variable)});
  }
  for (const auto& [name, value] : environment) add({name, value, "environment"});
  for (auto& setting : placed_settings(root, environment)) add(std::move(setting));
  return std::move(seen.variables);
}

}  // namespace

std::string variable_remark(const plan::NodePlan& plan, const Environment& environment,
                            std::size_t nodes, const std::filesystem::path& root) {
  return lint::remark(lint::lint({.variables = variables_of(plan, environment, root),
                                  .fabric = fabric::fabric_of(os::read_evidence(root)),
                                  .nodes = nodes}));
}

}  // namespace muster::node
