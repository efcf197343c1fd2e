// `networks:` in the site's file: the interfaces for a job, by partition and node feature.
// docs/configuration.md describes the format.
#pragma once

#include "core/option/setting.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::file {
class Yaml;
}

namespace muster::site {

struct NetworkRule {
  std::string partition;       // glob; empty: any
  std::string feature;         // glob; empty: any
  option::Setting interfaces;  // as a value of network=

  friend bool operator==(const NetworkRule&, const NetworkRule&) = default;
};

// The Error names file, line and column.
std::vector<NetworkRule> parse_network_rules(const file::Yaml& list);

// The first rule that matches a job of this partition whose rank 0 runs on a node with these
// features, separated by commas; nullptr where none matches.
const NetworkRule* matching_rule(const std::vector<NetworkRule>& rules,
                                 const std::string& partition, std::string_view features);

}  // namespace muster::site
