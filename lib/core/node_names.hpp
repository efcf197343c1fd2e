// `nodes:` of a rule in the site's file: names, globs and host lists.
#pragma once

#include "core/yaml.hpp"

#include <string>
#include <vector>

namespace muster {

// Error with file, line and column.
std::vector<std::string> parse_node_names(const Yaml& list);

// Whether a rule with these `nodes:` holds for the node; one without any holds for all.
bool holds_for(const std::vector<std::string>& nodes, const std::string& node);

}  // namespace muster
