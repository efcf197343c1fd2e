// `rules:` in the site's file: defaults and policy for some jobs, by partition, account, node feature and
// the user's group. docs/configuration.md describes the format.
#pragma once

#include "core/option/policy.hpp"
#include "core/option/settings.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::file {
class Yaml;
}

namespace muster::site {

struct JobRule {
  std::string partition;  // globs; empty: any
  std::string account;
  std::string feature;
  std::string group;  // its name or number; empty: any
  option::Layer defaults;
  option::Policy policy;
  std::string where;

  friend bool operator==(const JobRule&, const JobRule&) = default;
};

// The Error names file, line and column.
std::vector<JobRule> parse_job_rules(const file::Yaml& list);

// What the rules may ask of a job. What is not known here is empty, and no condition on it holds.
struct JobFacts {
  std::string partition = {};
  std::string account = {};
  std::string features = {};  // of rank 0's node, separated by commas
  std::function<bool(const std::string&)> is_in_group =
      {};  // of the user; asked only where a rule needs it
};

bool matches(const JobRule& rule, const JobFacts& facts);

// Whether any rule has a condition of this kind.
bool asks_for_partition(const std::vector<JobRule>& rules);

// Whether a rule has a policy by partition or account: the user must not be the one who says these.
bool needs_signed_job(const std::vector<JobRule>& rules);

// The places of rules that never apply, because an earlier one with the same or a wider condition sets
// everything that they set: "FILE:LINE:COLUMN: why".
std::vector<std::string> unreachable_rules(const std::vector<JobRule>& rules);

}  // namespace muster::site
