// The conditions of a rule in the site's file, of `rules:`, `networks:` and `variables:` alike.
// docs/configuration.md describes them.
#pragma once

#include "core/fabric/fabric.hpp"
#include "core/file/yaml.hpp"
#include "core/site/node_patterns.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::site {

struct Conditions {
  std::string partition = {};  // globs; empty: any
  std::string account = {};
  std::string feature = {};
  std::string group = {};  // its name or number
  std::string gpu = {};
  std::size_t min_nodes = 0;  // of the step
  NodePatterns nodes = {};
  std::vector<fabric::Fabric> fabrics = {};  // empty: any

  friend bool operator==(const Conditions&, const Conditions&) = default;
};

// What conditions may ask of a job and of the node on which they are decided. What is not known here is
// empty, and no condition on it holds.
struct RuleFacts {
  std::string partition = {};
  std::string account = {};
  std::string features = {};  // of rank 0's node, separated by commas
  std::size_t step_nodes = 0;
  std::string node = {};
  // Asked only where a rule needs it.
  std::function<bool(const std::string&)> is_in_group = {};  // of the user
  std::function<std::vector<std::string>()> gpus = {};       // models, as the driver names them
  std::function<fabric::Fabric()> fabric = {};
};

// Where a rule stands, and which conditions can be decided there.
struct RuleKind {
  std::string_view name;                   // "a network rule"
  std::string_view why_not;                // the other conditions are not possible
  std::span<const std::string_view> keys;  // its conditions first, then its other keys
  std::size_t conditions;                  // how many of the keys are conditions
};

// False for one of the kind's other keys. The Error names file, line and column, and the nearest key.
bool take_condition(Conditions& conditions, const file::Yaml::Entry& entry, const RuleKind& kind);

// The cheap questions first.
bool matches(const Conditions& conditions, const RuleFacts& facts);

// Whether every job that `narrow` is for is one that `wide` is for, as far as that can be seen without one.
bool covers(const Conditions& wide, const Conditions& narrow);

}  // namespace muster::site
