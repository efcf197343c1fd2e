// `variables:` in the site's file: variables for the ranks, by job, node and fabric. docs/configuration.md
// describes the format.
#pragma once

#include "core/environment.hpp"
#include "core/site/conditions.hpp"

#include <functional>
#include <string>
#include <vector>

namespace muster::file {
class Yaml;
}

namespace muster::site {

struct SiteVariable {
  std::string name;
  std::string value;
  std::string where;  // "FILE:LINE:COLUMN"

  friend bool operator==(const SiteVariable&, const SiteVariable&) = default;
};

struct VariableRule {
  Conditions conditions = {};
  std::string exists = {};               // a file that the node must have
  std::vector<std::string> unless = {};  // variables that the user or NCCL's files may have set
  std::vector<SiteVariable> set = {};
  std::string script = {};  // sourced by a shell, for what it exports
  std::string where = {};   // of the rule

  friend bool operator==(const VariableRule&, const VariableRule&) = default;
};

// The Error names file, line and column.
std::vector<VariableRule> parse_variable_rules(const file::Yaml& list);

// What the rules may ask of a step's node.
struct VariableFacts {
  RuleFacts rule = {};
  // Asked only where a rule needs it; without an answer the rule does not hold.
  std::function<bool(const std::string&)> exists = {};
  // Whether the user or a file of NCCL's or UCX's has set this variable.
  std::function<bool(const std::string&)> is_set = {};
};

// Those that hold, in the file's order.
std::vector<const VariableRule*> matching_rules(const std::vector<VariableRule>& rules,
                                                const VariableFacts& facts);

// What the rules' scripts have exported, as far as a rule could set it; the rest is left out.
std::vector<SiteVariable> variables_of_script(const Environment& exported,
                                              const VariableRule& rule);

// What the lint says of the rules themselves, a line for each finding, with its place.
std::vector<std::string> lint_of(const std::vector<VariableRule>& rules);

// Each name once: the first rule that sets it, its own `set` before its script.
void add_new(std::vector<SiteVariable>& variables, const std::vector<SiteVariable>& more);

}  // namespace muster::site
