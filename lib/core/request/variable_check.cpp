#include "core/request/variable_check.hpp"

#include "core/error.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace muster::request {
namespace {

using option::ForbiddenVariable;
using option::VariablePolicy;

std::set<std::string, std::less<>> names_in(const VariablePolicy& policy) {
  std::set<std::string, std::less<>> names;
  for (const auto& [name, value] : policy.fix) names.insert(name);
  for (const auto& [name, bound] : policy.min) names.insert(name);
  for (const auto& [name, bound] : policy.max) names.insert(name);
  for (const auto& forbidden : policy.forbid) names.insert(forbidden.name);
  return names;
}

[[noreturn]] void refuse(const EnvVar& variable, std::string_view what, const std::string& where,
                         std::string_view advice) {
  const auto place = variable.where.empty() ? std::string() : variable.where + ": ";
  throw Error(fmt::format("{}{}={}: the site's policy {} ({}); {}", place, variable.name,
                          text::printable(variable.value), what, where, advice));
}

// The number if it is within its bounds, otherwise the bound that it exceeds.
struct BrokenBound {
  std::string text;  // "at most 4"
  option::VariableBound bound;
};

std::optional<BrokenBound> broken_bound(const VariablePolicy& policy, const EnvVar& variable) {
  const auto number = text::number<std::int64_t>(variable.value);
  const auto most = policy.max.find(variable.name);
  if (most != policy.max.end() && (!number || *number > most->second.number))
    return BrokenBound{fmt::format("at most {}", most->second.number), most->second};
  const auto least = policy.min.find(variable.name);
  if (least != policy.min.end() && (!number || *number < least->second.number))
    return BrokenBound{fmt::format("at least {}", least->second.number), least->second};
  return std::nullopt;
}

const ForbiddenVariable* forbidding(const VariablePolicy& policy, const EnvVar& variable) {
  const auto found = std::ranges::find_if(policy.forbid, [&](const ForbiddenVariable& one) {
    return one.name == variable.name && (!one.value || *one.value == variable.value);
  });
  return found == policy.forbid.end() ? nullptr : &*found;
}

void check_one(const VariablePolicy& policy, const EnvVar& variable) {
  const auto fixed = policy.fix.find(variable.name);
  if (fixed != policy.fix.end()) {
    if (variable.value == fixed->second.value || !variable.where.empty()) return;
    refuse(variable,
           fmt::format("fixes {}={}", variable.name, text::printable(fixed->second.value)),
           fixed->second.where, fmt::format("unset {}", variable.name));
  }
  if (const auto* const one = forbidding(policy, variable)) {
    refuse(variable, one->value ? "forbids this value" : "forbids this variable", one->where,
           one->value ? "choose another value" : "unset it");
  }
  if (const auto broken = broken_bound(policy, variable)) {
    refuse(variable, fmt::format("allows {}", broken->text), broken->bound.where,
           "choose another value");
  }
}

}  // namespace

std::vector<EnvVar> set_by_user(const VariablePolicy& policy, const Environment& environment,
                                const std::vector<EnvVar>& of_files) {
  std::vector<EnvVar> users;
  for (const auto& name : names_in(policy)) {
    if (const auto* const exported = environment.if_set(name)) {
      users.push_back({name, *exported, Origin::user});
      continue;
    }
    const auto in_file = std::ranges::find(of_files, name, &EnvVar::name);
    if (in_file != of_files.end()) users.push_back(*in_file);
  }
  return users;
}

void check_variables(const VariablePolicy& policy, const std::vector<EnvVar>& users) {
  for (const auto& variable : users) check_one(policy, variable);
}

void keep_policy(const VariablePolicy& policy, std::vector<EnvVar>& variables) {
  std::erase_if(variables, [&](const EnvVar& variable) {
    return !variable.kept && forbidding(policy, variable) != nullptr;
  });
  for (auto& variable : variables) {
    if (variable.kept || policy.fix.contains(variable.name)) continue;
    const auto broken = broken_bound(policy, variable);
    if (!broken) continue;
    variable.value = fmt::to_string(broken->bound.number);
    variable.origin = Origin::site;
    variable.where = broken->bound.where;
  }
  for (const auto& [name, fixed] : policy.fix) {
    std::erase_if(variables, [&](const EnvVar& variable) { return variable.name == name; });
    EnvVar variable{name, fixed.value, Origin::site};
    variable.where = fixed.where;
    variables.push_back(std::move(variable));
  }
}

}  // namespace muster::request
