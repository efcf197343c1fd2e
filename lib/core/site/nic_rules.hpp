// `nics:` of the site's file: which NICs no training may use. docs/configuration.md describes the
// format.
#pragma once

#include "core/file/yaml.hpp"
#include "core/site/node_patterns.hpp"

#include <string>
#include <vector>

namespace muster::site {

struct NicRule {
  NodePatterns nodes = {};           // none: every node
  std::vector<std::string> exclude;  // globs of devices, interfaces or PCI addresses

  friend bool operator==(const NicRule&, const NicRule&) = default;
};

// One rule, or a list of them. Error with file, line and column.
std::vector<NicRule> parse_nic_rules(const file::Yaml& value);

// What all rules together exclude on this node.
std::vector<std::string> excluded_nics(const std::vector<NicRule>& rules, const std::string& node);

}  // namespace muster::site
