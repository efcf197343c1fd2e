// Which of a node's ranks have a part of it, and how that is shown.
#pragma once

#include "core/plan/plan.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace muster::picture {

// Places in NodePlan::tasks, ascending.
using Owners = std::vector<std::size_t>;

struct NodeOwners {
  std::map<unsigned, Owners> pus;   // by the operating system's index
  std::map<unsigned, Owners> numa;  // likewise
  std::vector<Owners> gpus;         // by place in Topology::gpus
  std::vector<Owners> nics;         // by place in Topology::nics
};

// GPUs that only Slurm knows are put into the topology, without a place.
NodeOwners owners_of(topology::Topology& topology, const plan::NodePlan& plan);

Owners owners_of_pu(const NodeOwners& owners, unsigned pu);

// "rank 3", "ranks 0-3", "24 ranks"; empty for nobody.
std::string long_text(const Owners& owners, const plan::NodePlan& plan);
// "r3", "r0-3", "24 ranks"
std::string short_text(const Owners& owners, const plan::NodePlan& plan);

}  // namespace muster::picture
