// `networks:` in the site's file: which interfaces a job uses (docs/reference/configuration.md).
#pragma once

#include "core/option/setting.hpp"
#include "core/site/conditions.hpp"

#include <vector>

namespace muster::file {
class Yaml;
}

namespace muster::site {

struct NetworkRule {
  Conditions conditions;
  option::Setting interfaces;  // as a value of network=

  friend bool operator==(const NetworkRule&, const NetworkRule&) = default;
};

// The Error names file, line and column.
std::vector<NetworkRule> parse_network_rules(const file::Yaml& list);

// The first rule that matches, or nullptr.
const NetworkRule* matching_rule(const std::vector<NetworkRule>& rules, const RuleFacts& facts);

}  // namespace muster::site
