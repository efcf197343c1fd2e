// Which of a node's ranks have a part of it, and how that is shown.
#pragma once

#include "core/plan/plan.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace muster {

// Places in NodePlan::tasks, ascending.
using Takers = std::vector<std::size_t>;

struct NodeTakers {
  std::map<unsigned, Takers> pus;   // by the operating system's index
  std::map<unsigned, Takers> numa;  // likewise
  std::vector<Takers> gpus;         // by place in Topology::gpus
  std::vector<Takers> nics;         // by place in Topology::nics
};

// GPUs that only Slurm knows are put into the topology, without a place.
NodeTakers takers_of(Topology& topology, const NodePlan& plan);

Takers takers_of_pu(const NodeTakers& takers, unsigned pu);

// "rank 3", "ranks 0-3", "24 ranks"; empty for nobody.
std::string long_word(const Takers& takers, const NodePlan& plan);
// "r3", "r0-3", "24 ranks"
std::string short_word(const Takers& takers, const NodePlan& plan);

}  // namespace muster
