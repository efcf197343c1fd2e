#include "core/site/nic_rules.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/site/node_patterns.hpp"

#include <array>
#include <string_view>

namespace muster::site {
namespace {

constexpr std::array<std::string_view, 2> nic_rule_keys{"exclude", "nodes"};

std::vector<std::string> parse_globs(const file::Yaml& list) {
  std::vector<std::string> globs;
  for (const file::Yaml& item : list.items()) {
    globs.push_back(item.text());
    if (globs.back().empty())
      throw item.error("an empty name, which no NIC has; write a name or a glob, such as mlx5_4");
  }
  return globs;
}

NicRule parse_nic_rule(const file::Yaml& mapping) {
  NicRule rule;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    if (entry.key == "exclude") {
      rule.exclude = parse_globs(entry.value);
    } else if (entry.key == "nodes") {
      rule.nodes = parse_node_patterns(entry.value);
    } else {
      throw unknown_key(entry, "a NIC rule", nic_rule_keys);
    }
  }
  if (!rule.exclude.empty() || rule.nodes == NodePatterns()) return rule;
  throw mapping.error("a rule that excludes nothing: it changes nothing; add 'exclude: [NAME]'");
}

}  // namespace

std::vector<NicRule> parse_nic_rules(const file::Yaml& value) {
  std::vector<NicRule> rules;
  if (value.is_mapping()) {
    rules.push_back(parse_nic_rule(value));
  } else {
    for (const file::Yaml& item : value.items()) rules.push_back(parse_nic_rule(item));
  }
  std::erase_if(rules, [](const NicRule& rule) { return rule.exclude.empty(); });
  return rules;
}

std::vector<std::string> excluded_nics(const std::vector<NicRule>& rules, const std::string& node) {
  std::vector<std::string> excluded;
  for (const auto& rule : rules)
    if (holds_for(rule.nodes, node))
      excluded.insert(excluded.end(), rule.exclude.begin(), rule.exclude.end());
  return excluded;
}

}  // namespace muster::site
