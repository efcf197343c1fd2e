#include "core/site/job_config.hpp"

#include "core/site/policy.hpp"

#include <utility>

namespace muster::site {

Config for_job(Config config, const RuleFacts& facts) {
  // Applied from last to first, so that the first rule wins.
  const auto rules = std::exchange(config.rules, {});
  for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) {
    if (!matches(rule->conditions, facts)) continue;
    for (const auto& [key, setting] : rule->defaults.values) {
      config.defaults.values.insert_or_assign(key, setting);
    }
    config.policy = with_policy(std::move(config.policy), rule->policy);
  }
  return config;
}

}  // namespace muster::site
