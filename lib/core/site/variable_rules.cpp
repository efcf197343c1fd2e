#include "core/site/variable_rules.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/lint/lint.hpp"
#include "core/site/condition_parsing.hpp"
#include "core/site/globs.hpp"
#include "core/site/variable_names.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::site {
namespace {

constexpr std::array<std::string_view, 12> variable_rule_keys{
    "partition", "account", "feature", "group",  "gpu", "min_nodes",
    "nodes",     "fabric",  "exists",  "unless", "set", "script"};
constexpr RuleKind variable_rule_kind{"a variable rule", "", variable_rule_keys, 8};
constexpr std::size_t max_rules = 500;
constexpr std::size_t max_variables_of_rule = 200;

std::string absolute(const file::Yaml& value) {
  auto path = value.text();
  if (path.starts_with('/')) return path;
  throw value.error(fmt::format(
      "{}: a relative path may mean a different place on each node; use an absolute path",
      text::in_quotes(path)));
}

std::vector<std::string> parse_names(const file::Yaml& list) {
  std::vector<std::string> names;
  for (const file::Yaml& item : list.items()) names.push_back(parse_glob(item));
  return names;
}

SiteVariable parse_variable(const file::Yaml::Entry& entry) {
  if (const auto why = refusal_of_name(entry.key))
    throw entry.key_node.error(fmt::format("{} cannot be set by a variable rule: {}; remove it",
                                           text::in_quotes(entry.key), *why));
  if (entry.value.is_null())
    throw entry.key_node.error(
        fmt::format("{} without a value: write one, or \"\" for an empty one", entry.key));
  auto value = entry.value.text();
  if (const auto why = refusal_of_value(value))
    throw entry.value.error(
        fmt::format("the value of {} cannot be set: {}; use a different value", entry.key, *why));
  return {entry.key, std::move(value), entry.key_node.where()};
}

std::vector<SiteVariable> parse_set(const file::Yaml& mapping) {
  std::vector<SiteVariable> variables;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    variables.push_back(parse_variable(entry));
    if (variables.size() > max_variables_of_rule)
      throw entry.key_node.error(
          fmt::format("more than {} variables in one rule; split it", max_variables_of_rule));
  }
  return variables;
}

void parse_entry(VariableRule& rule, const file::Yaml::Entry& entry) {
  if (take_condition(rule.conditions, entry, variable_rule_kind)) return;
  if (entry.key == "exists") {
    rule.exists = absolute(entry.value);
  } else if (entry.key == "unless") {
    rule.unless = parse_names(entry.value);
  } else if (entry.key == "set") {
    rule.set = parse_set(entry.value);
  } else {
    rule.script = absolute(entry.value);
  }
}

// Evaluates the cheap conditions first: examines the fabric and files only if the rest is true.
bool holds(const VariableRule& rule, const VariableFacts& facts) {
  return (rule.unless.empty() || !facts.is_set ||
          std::ranges::none_of(rule.unless, facts.is_set)) &&
         matches(rule.conditions, facts.rule) &&
         (rule.exists.empty() || (facts.exists && facts.exists(rule.exists)));
}

}  // namespace

std::vector<VariableRule> parse_variable_rules(const file::Yaml& list) {
  std::vector<VariableRule> rules;
  for (const file::Yaml& item : list.items()) {
    VariableRule rule;
    rule.where = item.where();
    for (const file::Yaml::Entry& entry : item.entries()) parse_entry(rule, entry);
    if (rule.set.empty() && rule.script.empty())
      throw item.error("a rule that sets nothing: add 'set: {NAME: value}' or 'script: /path'");
    rules.push_back(std::move(rule));
    if (rules.size() > max_rules)
      throw item.error(fmt::format("more than {} variable rules; merge some", max_rules));
  }
  return rules;
}

std::vector<const VariableRule*> matching_rules(const std::vector<VariableRule>& rules,
                                                const VariableFacts& facts) {
  std::vector<const VariableRule*> matching;
  for (const auto& rule : rules)
    if (holds(rule, facts)) matching.push_back(&rule);
  return matching;
}

std::vector<SiteVariable> variables_of_script(const Environment& exported,
                                              const VariableRule& rule) {
  std::vector<SiteVariable> variables;
  for (const auto& [name, value] : exported) {
    if (refusal_of_name(name) || refusal_of_value(value)) continue;
    variables.push_back({name, value, fmt::format("{}, by {}", rule.where, rule.script)});
    if (variables.size() == max_variables_of_rule) break;
  }
  return variables;
}

std::vector<std::string> lint_of(const std::vector<VariableRule>& rules) {
  std::vector<std::string> lines;
  for (const auto& rule : rules) {
    lint::Circumstances all;
    if (rule.conditions.fabrics.size() == 1) all.fabric = rule.conditions.fabrics.front();
    for (const auto& one : rule.set) all.variables.push_back({one.name, one.value, one.where});
    for (const auto& finding : lint::lint(all)) {
      // A variable that is missing here may be set by another rule, by the user or in a file.
      if (!finding.variable.where.empty()) lines.push_back(to_line(finding));
    }
  }
  return lines;
}

void add_new(std::vector<SiteVariable>& variables, const std::vector<SiteVariable>& more) {
  for (const auto& one : more) {
    if (std::ranges::find(variables, one.name, &SiteVariable::name) == variables.end())
      variables.push_back(one);
  }
}

}  // namespace muster::site
