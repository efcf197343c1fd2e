#include "core/site/variable_policy.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/site/variable_names.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace muster::site {
namespace {

using file::Yaml;

constexpr std::array<std::string_view, 4> variable_policy_keys{"fix", "forbid", "min", "max"};
constexpr std::size_t max_variables = 200;  // per key; every launch looks up all of them

void check_name(std::string_view name, const Yaml& node) {
  if (const auto why = refusal_of_name(name))
    throw node.error(
        fmt::format("a policy cannot cover {}: {}; remove it", text::in_quotes(name), *why));
}

void check_value(const std::string& value, const Yaml& node) {
  if (const auto why = refusal_of_value(value))
    throw node.error(fmt::format("the value cannot be used: {}; use a different value", *why));
}

void check_size(std::size_t size, const Yaml& node) {
  if (size > max_variables)
    throw node.error(fmt::format("more than {} variables; leave some out", max_variables));
}

std::string parse_value(const Yaml::Entry& entry) {
  if (entry.value.is_null())
    throw entry.key_node.error(
        fmt::format("{} without a value: write one, or \"\" for an empty one", entry.key));
  auto value = entry.value.text();
  check_value(value, entry.value);
  return value;
}

std::map<std::string, option::VariableValue, std::less<>> parse_fix(const Yaml& mapping) {
  std::map<std::string, option::VariableValue, std::less<>> fix;
  for (const Yaml::Entry& entry : mapping.entries()) {
    check_name(entry.key, entry.key_node);
    fix.emplace(entry.key, option::VariableValue{parse_value(entry), entry.key_node.where()});
    check_size(fix.size(), entry.key_node);
  }
  return fix;
}

std::map<std::string, option::VariableBound, std::less<>> parse_variable_bounds(
    const Yaml& mapping) {
  std::map<std::string, option::VariableBound, std::less<>> bounds;
  for (const Yaml::Entry& entry : mapping.entries()) {
    check_name(entry.key, entry.key_node);
    const auto text = parse_value(entry);
    const auto number = text::number<std::int64_t>(text);
    if (!number)
      throw entry.value.error(
          fmt::format("{}: a bound must be a whole number; for other values, use fix or forbid",
                      text::in_quotes(text)));
    bounds.emplace(entry.key, option::VariableBound{*number, entry.key_node.where()});
    check_size(bounds.size(), entry.key_node);
  }
  return bounds;
}

std::vector<option::ForbiddenVariable> parse_forbid(const Yaml& list) {
  std::vector<option::ForbiddenVariable> forbid;
  for (const Yaml& item : list.items()) {
    const auto text = item.text();
    const auto equals = text.find('=');
    option::ForbiddenVariable variable{text.substr(0, equals), std::nullopt, item.where()};
    check_name(variable.name, item);
    if (equals != std::string::npos) {
      variable.value = text.substr(equals + 1);
      check_value(*variable.value, item);
    }
    forbid.push_back(std::move(variable));
    check_size(forbid.size(), item);
  }
  return forbid;
}

// Refuses a policy in which one rule forbids what another one sets, because it could never be satisfied.
void check_contradictions(const option::VariablePolicy& policy, const Yaml& mapping) {
  for (const auto& [name, fixed] : policy.fix) {
    for (const auto& forbidden : policy.forbid) {
      if (forbidden.name == name && (!forbidden.value || forbidden.value == fixed.value))
        throw mapping.error(fmt::format("{} is both fixed and forbidden: keep one of the two",
                                        text::in_quotes(name)));
    }
  }
  for (const auto& [name, least] : policy.min) {
    const auto most = policy.max.find(name);
    if (most != policy.max.end() && most->second.number < least.number)
      throw mapping.error(
          fmt::format("{}: min is {} but max is {}, so no value is allowed; correct one of the two",
                      text::in_quotes(name), least.number, most->second.number));
  }
}

}  // namespace

option::VariablePolicy parse_variable_policy(const Yaml& mapping) {
  option::VariablePolicy policy;
  for (const Yaml::Entry& entry : mapping.entries()) {
    if (entry.key == "fix") {
      policy.fix = parse_fix(entry.value);
    } else if (entry.key == "forbid") {
      policy.forbid = parse_forbid(entry.value);
    } else if (entry.key == "min") {
      policy.min = parse_variable_bounds(entry.value);
    } else if (entry.key == "max") {
      policy.max = parse_variable_bounds(entry.value);
    } else {
      throw unknown_key(entry, "a policy for variables", variable_policy_keys);
    }
  }
  check_contradictions(policy, mapping);
  return policy;
}

option::VariablePolicy with_variable_policy(option::VariablePolicy general,
                                            const option::VariablePolicy& special) {
  for (const auto& [name, value] : special.fix) general.fix.insert_or_assign(name, value);
  for (const auto& [name, bound] : special.min) general.min.insert_or_assign(name, bound);
  for (const auto& [name, bound] : special.max) general.max.insert_or_assign(name, bound);
  general.forbid.insert(general.forbid.end(), special.forbid.begin(), special.forbid.end());
  return general;
}

}  // namespace muster::site
