// Reads the conditions of a rule in the site's file.
#pragma once

#include "core/file/yaml.hpp"
#include "core/site/conditions.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace muster::site {

// The kind of a rule, and which conditions it may have.
struct RuleKind {
  std::string_view name;                   // "a network rule"
  std::string_view why_not;                // why it cannot have other conditions
  std::span<const std::string_view> keys;  // its conditions first, then its other keys
  std::size_t conditions;                  // how many of these keys are conditions
};

// Returns false for one of the kind's other keys. The Error names file, line and column, and the most
// similar key.
bool take_condition(Conditions& conditions, const file::Yaml::Entry& entry, const RuleKind& kind);

}  // namespace muster::site
