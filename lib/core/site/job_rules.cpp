#include "core/site/job_rules.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/site/condition_parsing.hpp"
#include "core/site/key_settings.hpp"
#include "core/site/policy.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::site {
namespace {

constexpr std::array<std::string_view, 8> job_rule_keys{
    "partition", "account", "feature", "group", "gpu", "min_nodes", "defaults", "policy"};
constexpr RuleKind job_rule_kind{
    "a rule", "a job's rules are chosen before its nodes are examined, and apply to all of them",
    job_rule_keys, 6};

// A policy may depend only on what slurmctld and the kernel say. The nodes of a step are whatever the user's
// srun says.
void check_policy_of(const JobRule& rule, const file::Yaml& mapping) {
  if (rule.policy == option::Policy{}) return;
  const auto refuse = [&](std::string_view condition, std::string_view what) {
    throw mapping.error(fmt::format(
        "a policy cannot depend on {}: the nodes learn {} only from the user's srun; use partition, account, "
        "group or gpu",
        condition, what));
  };
  if (!rule.conditions.feature.empty()) refuse("feature", "the features");
  if (rule.conditions.min_nodes > 0) refuse("min_nodes", "the number of nodes");
}

JobRule parse_job_rule(const file::Yaml& mapping) {
  JobRule rule;
  rule.where = mapping.where();
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    if (take_condition(rule.conditions, entry, job_rule_kind)) continue;
    if (entry.key == "defaults") {
      rule.defaults.values = parse_key_settings(entry.value, Origin::site);
    } else {
      rule.policy = parse_policy(entry.value);
    }
  }
  if (rule.defaults == option::Layer{} && rule.policy == option::Policy{}) {
    throw mapping.error("a rule that sets nothing; add 'defaults:' or 'policy:'");
  }
  if (rule.conditions == Conditions{}) {
    throw mapping.error(
        "a rule without conditions, which would apply to every job; use the file's own 'defaults:' and "
        "'policy:', or add partition, account, "
        "feature, group, gpu or min_nodes");
  }
  check_policy_of(rule, mapping);
  return rule;
}

template <class Map>
bool has_keys_of(const Map& all, const Map& some) {
  return std::ranges::all_of(some, [&](const auto& entry) { return all.contains(entry.first); });
}

bool sets_all_of(const option::VariablePolicy& earlier, const option::VariablePolicy& later) {
  return has_keys_of(earlier.fix, later.fix) && has_keys_of(earlier.min, later.min) &&
         has_keys_of(earlier.max, later.max) && later.forbid.empty();
}

bool sets_all_of(const JobRule& earlier, const JobRule& later) {
  return has_keys_of(earlier.defaults.values, later.defaults.values) &&
         has_keys_of(earlier.policy.fix, later.policy.fix) &&
         has_keys_of(earlier.policy.min, later.policy.min) &&
         has_keys_of(earlier.policy.max, later.policy.max) && later.policy.forbid.empty() &&
         (earlier.policy.profiles || !later.policy.profiles) &&
         sets_all_of(earlier.policy.variables, later.policy.variables);
}

}  // namespace

std::vector<JobRule> parse_job_rules(const file::Yaml& list) {
  std::vector<JobRule> rules;
  for (const file::Yaml& item : list.items()) rules.push_back(parse_job_rule(item));
  return rules;
}

bool asks_for_partition(const std::vector<JobRule>& rules) {
  return std::ranges::any_of(
      rules, [](const JobRule& rule) { return !rule.conditions.partition.empty(); });
}

bool needs_signed_job(const std::vector<JobRule>& rules) {
  return std::ranges::any_of(rules, [](const JobRule& rule) {
    return rule.policy != option::Policy{} &&
           !(rule.conditions.partition.empty() && rule.conditions.account.empty());
  });
}

std::vector<std::string> unreachable_rules(const std::vector<JobRule>& rules) {
  std::vector<std::string> lines;
  for (auto rule = rules.begin(); rule != rules.end(); ++rule) {
    const auto first = std::find_if(rules.begin(), rule, [&](const JobRule& earlier) {
      return covers(earlier.conditions, rule->conditions) && sets_all_of(earlier, *rule);
    });
    if (first == rule) continue;
    lines.push_back(fmt::format(
        "{}: this rule never applies: the one at {} comes first and sets the same keys; "
        "put the narrower rule first, or remove this one",
        rule->where, first->where));
  }
  return lines;
}

}  // namespace muster::site
