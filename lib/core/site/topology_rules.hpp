// `topology:` of the site's file: where a node's topology comes from, and what the hardware does
// not say about it. docs/configuration.md describes the format.
#pragma once

#include "core/file/yaml.hpp"
#include "core/site/node_patterns.hpp"
#include "core/topology/placement.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::site {

struct TopologyRule {
  NodePatterns nodes = {};  // none: every node
  std::string file;         // hwloc's XML
  std::string nccl;         // NCCL's XML
  std::vector<topology::MappedDevice> map;

  friend bool operator==(const TopologyRule&, const TopologyRule&) = default;
};

enum class GpuSource : std::uint8_t {
  gres,  // a step has the GPUs that Slurm gave it
  all,   // one to which Slurm gave none has all of the node's
};

struct TopologyRules {
  std::string cache = "auto";  // or off, or a directory that root fills
  GpuSource gpus = GpuSource::gres;
  std::vector<TopologyRule> rules;

  friend bool operator==(const TopologyRules&, const TopologyRules&) = default;
};

// Error with file, line and column.
TopologyRules parse_topology_rules(const file::Yaml& mapping);

// What holds for this node: of each key the first rule that has it.
TopologyRule rule_for(const TopologyRules& rules, const std::string& node);

}  // namespace muster::site
