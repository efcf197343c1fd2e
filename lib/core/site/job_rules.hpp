// `rules:` in the site's file: defaults and policy for some jobs (docs/reference/configuration.md).
#pragma once

#include "core/option/policy.hpp"
#include "core/option/settings.hpp"
#include "core/site/conditions.hpp"

#include <string>
#include <vector>

namespace muster::file {
class Yaml;
}

namespace muster::site {

struct JobRule {
  Conditions conditions;
  option::Layer defaults;
  option::Policy policy;
  std::string where;

  friend bool operator==(const JobRule&, const JobRule&) = default;
};

// The Error names file, line and column.
std::vector<JobRule> parse_job_rules(const file::Yaml& list);

// Whether any rule has such a condition.
bool asks_for_partition(const std::vector<JobRule>& rules);

// Whether a rule has a policy by partition or account: for these, the user's claim must not be trusted.
bool needs_signed_job(const std::vector<JobRule>& rules);

// The rules that never apply, because an earlier one with the same or a wider condition sets everything
// that they set: "FILE:LINE:COLUMN: why" for each.
std::vector<std::string> unreachable_rules(const std::vector<JobRule>& rules);

}  // namespace muster::site
