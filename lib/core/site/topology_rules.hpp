// `topology:` in the site's file: the source of a node's topology, and facts that the hardware does
// not report. docs/reference/configuration.md describes the format.
#pragma once

#include "core/site/node_patterns.hpp"
#include "core/topology/mapped_device.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::file {
class Yaml;
}

namespace muster::site {

struct TopologyRule {
  NodePatterns nodes = {};  // empty: every node
  std::string file;         // hwloc's XML
  std::string nccl;         // NCCL's XML
  std::vector<topology::MappedDevice> map;

  friend bool operator==(const TopologyRule&, const TopologyRule&) = default;
};

enum class GpuSource : std::uint8_t {
  gres,  // a step has the GPUs that Slurm allocated to it
  all,   // a step without GPUs from Slurm has all GPUs of the node
};

struct TopologyRules {
  std::string cache = "auto";  // auto, off, or a directory that root fills at boot
  GpuSource gpus = GpuSource::gres;
  std::vector<TopologyRule> rules;

  friend bool operator==(const TopologyRules&, const TopologyRules&) = default;
};

// The Error names file, line and column.
TopologyRules parse_topology_rules(const file::Yaml& mapping);

// The values for this node: each key comes from the first matching rule that sets it.
TopologyRule rule_for(const TopologyRules& rules, const std::string& node);

}  // namespace muster::site
