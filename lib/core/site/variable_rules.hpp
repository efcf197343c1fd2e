// `variables:` in the site's file: variables for the ranks, depending on job, node and fabric.
// docs/reference/configuration.md describes the format.
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
  std::string exists = {};  // a file that the node must have
  std::vector<std::string> unless =
      {};  // variables that neither the user nor NCCL's files may have set
  std::vector<SiteVariable> set = {};
  std::string script = {};  // a shell sources it; the variables that it exports count
  std::string where = {};   // where the rule is: FILE:LINE:COLUMN

  friend bool operator==(const VariableRule&, const VariableRule&) = default;
};

// The Error names file, line and column.
std::vector<VariableRule> parse_variable_rules(const file::Yaml& list);

// What the rules may ask about a node of the step.
struct VariableFacts {
  RuleFacts rule = {};
  // Called only if a rule needs it; if there is no answer, the rule does not apply.
  std::function<bool(const std::string&)> exists = {};
  // Whether the user, or a file of NCCL or UCX, has set this variable.
  std::function<bool(const std::string&)> is_set = {};
};

// The rules that apply, in the order of the file.
std::vector<const VariableRule*> matching_rules(const std::vector<VariableRule>& rules,
                                                const VariableFacts& facts);

// What a rule's script exported, without the variables that a rule may not set.
std::vector<SiteVariable> variables_of_script(const Environment& exported,
                                              const VariableRule& rule);

// What the lint finds in the rules themselves: one line per finding, with its place.
std::vector<std::string> lint_of(const std::vector<VariableRule>& rules);

// Adds each name once: the first rule that sets it wins, and its `set` comes before its script.
void add_new(std::vector<SiteVariable>& variables, const std::vector<SiteVariable>& more);

}  // namespace muster::site
