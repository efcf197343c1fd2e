// The leaf switch of each node, as `scontrol show topology` prints it if the site has told Slurm. Written for
// the outputs of Slurm 22.05 to 26.05. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace muster::slurm {

// By the node's name. A block counts as a switch.
using LeafSwitches = std::map<std::string, std::string>;

// The most that is read of scontrol's output: one line for each switch, the top one's with all nodes.
inline constexpr std::size_t max_topology_bytes = 4194304;

// A node under several leaf switches has the first. Lines that name no leaf switch and no block are passed
// over.
LeafSwitches leaf_switches_from_text(std::string_view text);

}  // namespace muster::slurm
