// Under which leaf switch each node is, where the site has told Slurm.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace muster::slurm {

// By the node's name. A block is as good as a switch.
using LeafSwitches = std::map<std::string, std::string>;

// From the text of `scontrol show topology`. Of a node under several leaf switches the first counts.
// Lines that name no leaf switch and no block are passed over. Pure.
LeafSwitches leaf_switches(std::string_view text);

// One call of scontrol; empty where the site has no topology, or Slurm does not answer in time.
LeafSwitches ask_leaf_switches(std::chrono::milliseconds timeout);

}  // namespace muster::slurm
