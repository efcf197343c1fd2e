#include "launcher/agent/node/site_variables.hpp"

#include "core/site/config.hpp"
#include "launcher/agent/node/library_settings.hpp"
#include "launcher/agent/node/variable_script.hpp"
#include "launcher/site/job_facts.hpp"
#include "launcher/site/site.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace muster::node {
namespace {

site::VariableFacts facts_of(const VariablesQuestion& question, const Environment& files) {
  auto rule = facts_of_node(
      site::facts_of_job(question.environment, std::string(question.features)), question.root);
  rule.node = question.node;
  rule.step_nodes = question.nodes;
  return {.rule = std::move(rule),
          .exists =
              [root = question.root](const std::string& path) {
                std::error_code unknown;
                return std::filesystem::exists(root / std::filesystem::path(path).relative_path(),
                                               unknown);
              },
          .is_set =
              [&](const std::string& name) {
                return question.environment.contains(name) || files.contains(name);
              }};
}

void add_script(const VariablesQuestion& question, const site::VariableRule& rule,
                std::vector<site::SiteVariable>& variables, std::vector<std::string>& warnings) {
  Environment given;
  for (const auto& variable : rule.set) given.add(variable.name, variable.value);
  const auto result = exported_by({.script = rule.script,
                                   .trust = question.site.trust(),
                                   .cache = question.site.config().topology.cache,
                                   .environment = question.environment,
                                   .given = std::move(given)});
  if (result.exported) {
    add_new(variables, variables_of_script(*result.exported, rule));
  } else {
    warnings.push_back(fmt::format("{} ({}); the ranks start without the script's variables",
                                   result.failure, rule.where));
  }
}

}  // namespace

NodeVariables site_variables(const VariablesQuestion& question) {
  NodeVariables result;
  result.others.files = settings_in_files(question.root, question.environment);
  const auto& rules = question.site.config().variables;
  if (rules.empty()) return result;
  const auto facts = facts_of(question, result.others.files);
  std::vector<site::SiteVariable> variables;
  for (const auto* const rule : matching_rules(rules, facts)) {
    add_new(variables, rule->set);
    if (!rule->script.empty()) add_script(question, *rule, variables, result.warnings);
  }
  for (auto& [name, value, where] : variables) {
    EnvVar variable{std::move(name), std::move(value), Origin::site};
    variable.where = std::move(where);
    result.others.site.push_back(std::move(variable));
  }
  return result;
}

}  // namespace muster::node
