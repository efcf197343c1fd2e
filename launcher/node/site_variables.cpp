#include "launcher/node/site_variables.hpp"

#include "core/site/config.hpp"
#include "launcher/fabric/evidence.hpp"
#include "launcher/node/library_settings.hpp"
#include "launcher/node/variable_script.hpp"
#include "launcher/site/site.hpp"

#include <optional>
#include <system_error>

#include <fmt/format.h>

namespace muster::node {
namespace {

std::string value_of(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

site::VariableFacts facts_of(const VariablesQuestion& question, const Environment& files) {
  return {.partition = value_of(question.environment, "SLURM_JOB_PARTITION"),
          .account = value_of(question.environment, "SLURM_JOB_ACCOUNT"),
          .node = question.node,
          .features = question.features,
          .nodes = question.nodes,
          .gpus = [root = question.root] { return fabric::gpu_models(root); },
          .fabric =
              [root = question.root, known = std::optional<fabric::Fabric>()]() mutable {
                if (!known) known = fabric_of(fabric::read_evidence(root));
                return *known;
              },
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
  for (const auto& variable : rule.set) given.emplace(variable.name, variable.value);
  const auto result = exported_by({.script = rule.script,
                                   .trust = question.site.trust(),
                                   .cache = question.site.config().topology.cache,
                                   .environment = question.environment,
                                   .given = std::move(given)});
  if (result.exported) {
    add_new(variables, variables_of_script(*result.exported, rule));
  } else {
    warnings.push_back(
        fmt::format("{} ({}); the ranks start without its variables", result.failure, rule.where));
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
