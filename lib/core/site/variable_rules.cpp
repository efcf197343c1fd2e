#include "core/site/variable_rules.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/lint/lint.hpp"
#include "core/site/globs.hpp"
#include "core/site/variable_names.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::site {
namespace {

constexpr std::array<std::string_view, 11> rule_keys{"partition", "feature", "account", "gpu",
                                                     "nodes",     "fabric",  "exists",  "min_nodes",
                                                     "unless",    "set",     "script"};
constexpr std::size_t max_rules = 500;
constexpr std::size_t max_variables_of_rule = 200;

std::string absolute(const file::Yaml& value) {
  auto path = value.text();
  if (path.starts_with('/')) return path;
  throw value.error(
      fmt::format("{}: a relative path means another place on each node; write it from '/' on",
                  text::in_quotes(path)));
}

std::vector<fabric::Fabric> parse_fabrics(const file::Yaml& list) {
  std::vector<fabric::Fabric> fabrics;
  for (const file::Yaml& item : list.items()) {
    const auto word = item.text();
    if (const auto known = fabric::fabric_named(word)) {
      fabrics.push_back(*known);
      continue;
    }
    std::vector<std::string_view> words;
    for (const auto& name : fabric::fabric_names) words.push_back(name.word);
    throw item.error(fmt::format("fabric {}: not known; {}", text::in_quotes(word),
                                 text::suggestion(word, words)));
  }
  return fabrics;
}

std::size_t parse_count(const file::Yaml& value) {
  const auto text = value.text();
  if (const auto count = text::number<std::size_t>(text); count && *count > 0) return *count;
  throw value.error(
      fmt::format("min_nodes {}: not a number of nodes; use 1 or more", text::in_quotes(text)));
}

std::vector<std::string> parse_names(const file::Yaml& list) {
  std::vector<std::string> names;
  for (const file::Yaml& item : list.items()) names.push_back(parse_glob(item));
  return names;
}

SiteVariable parse_variable(const file::Yaml::Entry& entry) {
  if (const auto why = refusal_of_name(entry.key))
    throw entry.key_node.error(
        fmt::format("{} cannot be set here: {}; remove it", text::in_quotes(entry.key), *why));
  if (entry.value.is_null())
    throw entry.key_node.error(
        fmt::format("{} without a value: write one, or \"\" for an empty one", entry.key));
  auto value = entry.value.text();
  if (const auto why = refusal_of_value(value))
    throw entry.value.error(fmt::format("the value of {} cannot be set: {}", entry.key, *why));
  return {entry.key, std::move(value), entry.key_node.where()};
}

std::vector<SiteVariable> parse_set(const file::Yaml& mapping) {
  std::vector<SiteVariable> variables;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    variables.push_back(parse_variable(entry));
    if (variables.size() > max_variables_of_rule)
      throw entry.key_node.error(
          fmt::format("more than {} variables in one rule; divide it", max_variables_of_rule));
  }
  return variables;
}

void parse_entry(VariableRule& rule, const file::Yaml::Entry& entry) {
  if (entry.key == "partition") {
    rule.partition = parse_glob(entry.value);
  } else if (entry.key == "feature") {
    rule.feature = parse_glob(entry.value);
  } else if (entry.key == "account") {
    rule.account = parse_glob(entry.value);
  } else if (entry.key == "gpu") {
    rule.gpu = parse_glob(entry.value);
  } else if (entry.key == "nodes") {
    rule.nodes = parse_node_patterns(entry.value);
  } else if (entry.key == "fabric") {
    rule.fabrics = parse_fabrics(entry.value);
  } else if (entry.key == "exists") {
    rule.exists = absolute(entry.value);
  } else if (entry.key == "min_nodes") {
    rule.min_nodes = parse_count(entry.value);
  } else if (entry.key == "unless") {
    rule.unless = parse_names(entry.value);
  } else if (entry.key == "set") {
    rule.set = parse_set(entry.value);
  } else if (entry.key == "script") {
    rule.script = absolute(entry.value);
  } else {
    throw unknown_key(entry, "a rule of variables", rule_keys);
  }
}

bool matches_one(const std::string& glob, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](const auto& word) { return matches(glob, word); });
}

// The cheap questions first: the fabric and files are looked at only where the rest holds.
bool holds(const VariableRule& rule, const VariableFacts& facts) {
  return facts.nodes >= rule.min_nodes && matches(rule.partition, facts.partition) &&
         matches(rule.account, facts.account) && holds_for(rule.nodes, facts.node) &&
         matches_any(rule.feature, facts.features) &&
         (rule.gpu.empty() || (facts.gpus && matches_one(rule.gpu, facts.gpus()))) &&
         (rule.unless.empty() || !facts.is_set ||
          std::ranges::none_of(rule.unless, facts.is_set)) &&
         (rule.fabrics.empty() ||
          (facts.fabric && std::ranges::count(rule.fabrics, facts.fabric()) > 0)) &&
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
      throw item.error(fmt::format("more than {} rules of variables; join some", max_rules));
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
    if (rule.fabrics.size() == 1) all.fabric = rule.fabrics.front();
    for (const auto& one : rule.set) all.variables.push_back({one.name, one.value, one.where});
    for (const auto& finding : lint::lint(all)) {
      // Another rule, the user or a file may set what is missing here.
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
