#include "core/site/job_rules.hpp"

#include "core/file/yaml.hpp"
#include "core/site/globs.hpp"
#include "core/site/key_settings.hpp"
#include "core/site/policy.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::site {
namespace {

constexpr std::array<std::string_view, 6> rule_keys{"partition", "account",  "feature",
                                                    "group",     "defaults", "policy"};

JobRule parse_rule(const file::Yaml& mapping) {
  JobRule rule;
  rule.where = mapping.where();
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    if (entry.key == "partition") {
      rule.partition = parse_glob(entry.value);
    } else if (entry.key == "account") {
      rule.account = parse_glob(entry.value);
    } else if (entry.key == "feature") {
      rule.feature = parse_glob(entry.value);
    } else if (entry.key == "group") {
      rule.group = parse_glob(entry.value);
    } else if (entry.key == "defaults") {
      rule.defaults.values = parse_key_settings(entry.value, Origin::site);
    } else if (entry.key == "policy") {
      rule.policy = parse_policy(entry.value);
    } else {
      throw unknown_key(entry, "a rule", rule_keys);
    }
  }
  if (rule.defaults == option::Layer{} && rule.policy == option::Policy{}) {
    throw mapping.error("a rule that sets nothing; add 'defaults:' or 'policy:'");
  }
  if (rule.partition.empty() && rule.account.empty() && rule.feature.empty() &&
      rule.group.empty()) {
    throw mapping.error(
        "a rule for every job: that is the file's own 'defaults:' and 'policy:'; add partition, account, "
        "feature or group");
  }
  if (!rule.feature.empty() && rule.policy != option::Policy{}) {
    throw mapping.error(
        "a policy by feature: the nodes learn the features from the user's srun; use partition, account or "
        "group");
  }
  return rule;
}

// Every job that `narrow` is for is one that `wide` is for, as far as that can be seen without a job.
bool covers(const std::string& wide, const std::string& narrow) {
  return wide.empty() || wide == narrow || (wide == "*" && !narrow.empty());
}

bool covers(const JobRule& wide, const JobRule& narrow) {
  return covers(wide.partition, narrow.partition) && covers(wide.account, narrow.account) &&
         covers(wide.feature, narrow.feature) && covers(wide.group, narrow.group);
}

template <class Map>
bool has_keys_of(const Map& all, const Map& some) {
  return std::ranges::all_of(some, [&](const auto& entry) { return all.contains(entry.first); });
}

bool sets_all_of(const JobRule& earlier, const JobRule& later) {
  return has_keys_of(earlier.defaults.values, later.defaults.values) &&
         has_keys_of(earlier.policy.fix, later.policy.fix) &&
         has_keys_of(earlier.policy.min, later.policy.min) &&
         has_keys_of(earlier.policy.max, later.policy.max) && later.policy.forbid.empty() &&
         (earlier.policy.profiles || !later.policy.profiles);
}

}  // namespace

std::vector<JobRule> parse_job_rules(const file::Yaml& list) {
  std::vector<JobRule> rules;
  for (const file::Yaml& item : list.items()) rules.push_back(parse_rule(item));
  return rules;
}

bool matches(const JobRule& rule, const JobFacts& facts) {
  if (!matches(rule.partition, facts.partition) || !matches(rule.account, facts.account))
    return false;
  if (!matches_any(rule.feature, facts.features)) return false;
  return rule.group.empty() || (facts.is_in_group && facts.is_in_group(rule.group));
}

bool asks_for_partition(const std::vector<JobRule>& rules) {
  return std::ranges::any_of(rules, [](const JobRule& rule) { return !rule.partition.empty(); });
}

bool needs_signed_job(const std::vector<JobRule>& rules) {
  return std::ranges::any_of(rules, [](const JobRule& rule) {
    return rule.policy != option::Policy{} && !(rule.partition.empty() && rule.account.empty());
  });
}

std::vector<std::string> unreachable_rules(const std::vector<JobRule>& rules) {
  std::vector<std::string> lines;
  for (auto rule = rules.begin(); rule != rules.end(); ++rule) {
    const auto first = std::find_if(rules.begin(), rule, [&](const JobRule& earlier) {
      return covers(earlier, *rule) && sets_all_of(earlier, *rule);
    });
    if (first == rule) continue;
    lines.push_back(fmt::format(
        "{}: this rule never applies: the one at {} comes first and sets the same keys; "
        "put the narrower one in front",
        rule->where, first->where));
  }
  return lines;
}

}  // namespace muster::site
