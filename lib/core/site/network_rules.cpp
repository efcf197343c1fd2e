#include "core/site/network_rules.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/option/conversion.hpp"
#include "core/option/keys.hpp"
#include "core/site/condition_parsing.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::site {
namespace {

constexpr std::array<std::string_view, 5> network_rule_keys{"partition", "account", "feature",
                                                            "group", "interfaces"};
constexpr RuleKind network_rule_kind{"a network rule", "all nodes of a job use the same network",
                                     network_rule_keys, 4};

option::Setting parse_interfaces(const file::Yaml& list) {
  std::string joined;
  for (const file::Yaml& item : list.items()) {
    const option::Setting one{item.text(), Origin::site, item.where()};
    if (parse_value(option::Key("network"), one).network.size() != 1) {
      throw item.error(
          fmt::format("{}: not the name of an interface; use one name or glob per item",
                      text::in_quotes(one.value)));
    }
    joined += (joined.empty() ? "" : "+") + one.value;
  }
  return {joined, Origin::site, list.where()};
}

NetworkRule parse_network_rule(const file::Yaml& mapping) {
  NetworkRule rule;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    if (!take_condition(rule.conditions, entry, network_rule_kind))
      rule.interfaces = parse_interfaces(entry.value);
  }
  if (rule.interfaces.value.empty()) {
    throw mapping.error("a rule without interfaces: it chooses nothing; add 'interfaces: [NAME]'");
  }
  if (rule.conditions == Conditions{}) {
    throw mapping.error(
        "a rule without conditions, which would apply to every job; use 'defaults: {network: NAME}', or add "
        "'partition: NAME' or 'feature: NAME'");
  }
  return rule;
}

}  // namespace

std::vector<NetworkRule> parse_network_rules(const file::Yaml& list) {
  std::vector<NetworkRule> rules;
  for (const file::Yaml& item : list.items()) rules.push_back(parse_network_rule(item));
  return rules;
}

const NetworkRule* matching_rule(const std::vector<NetworkRule>& rules, const RuleFacts& facts) {
  const auto found = std::ranges::find_if(
      rules, [&](const NetworkRule& rule) { return matches(rule.conditions, facts); });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace muster::site
