// The leaf switch of each node, as `scontrol show topology` prints it if the site has configured one. Written
// for the outputs of Slurm 22.05 to 26.05. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace muster::slurm {

// By the node's name. A block counts as a switch.
using LeafSwitches = std::map<std::string, std::string>;

// The most that is read of scontrol's output: one line per switch, of which the top one's lists all nodes.
inline constexpr std::size_t max_topology_bytes = 4194304;

// For a node under several leaf switches, the first one counts. Ignores lines that name neither a leaf switch
// nor a block.
LeafSwitches leaf_switches_from_text(std::string_view text);

}  // namespace muster::slurm
