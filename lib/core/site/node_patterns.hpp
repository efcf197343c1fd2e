// `nodes:` of a rule in the site's file: names, globs and host lists.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace muster::file {
class Yaml;
}

namespace muster::site {

struct NodePatterns {
  std::set<std::string> names = {};  // expanded host lists, looked up for each node of a plan
  std::vector<std::string> globs = {};

  friend bool operator==(const NodePatterns&, const NodePatterns&) = default;
};

// The Error names file, line and column.
NodePatterns parse_node_patterns(const file::Yaml& list);

// Whether a rule with these `nodes:` matches the node. A rule without `nodes:` matches every node.
bool holds_for(const NodePatterns& nodes, const std::string& node);

}  // namespace muster::site
