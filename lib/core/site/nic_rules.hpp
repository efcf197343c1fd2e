// `nics:` in the site's file: NICs that no job may use. docs/reference/configuration.md describes the format.
#pragma once

#include "core/site/node_patterns.hpp"

#include <string>
#include <vector>

namespace muster::file {
class Yaml;
}

namespace muster::site {

struct NicRule {
  NodePatterns nodes = {};           // empty: every node
  std::vector<std::string> exclude;  // globs of devices, interfaces or PCI addresses

  friend bool operator==(const NicRule&, const NicRule&) = default;
};

// One rule, or a list of rules. The Error names file, line and column.
std::vector<NicRule> parse_nic_rules(const file::Yaml& value);

// The NICs that the matching rules together exclude on this node.
std::vector<std::string> excluded_nics(const std::vector<NicRule>& rules, const std::string& node);

}  // namespace muster::site
