// Which ranks of a node own a part of it, and how a picture shows that.
#pragma once

#include "core/plan/node_plan.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::picture {

// Positions in NodePlan::tasks, ascending.
using Owners = std::vector<std::size_t>;

struct NodeOwners {
  std::map<unsigned, Owners> pus;   // by the operating system's index
  std::map<unsigned, Owners> numa;  // likewise
  std::vector<Owners> gpus;         // by position in Topology::gpus
  std::vector<Owners> nics;         // by position in Topology::nics
};

// Adds GPUs that only Slurm knows to the topology, without a location.
NodeOwners owners_of(topology::Topology& topology, const plan::NodePlan& plan);

Owners owners_of_pu(const NodeOwners& owners, unsigned pu);

// "rank 3", "ranks 0-3", "24 ranks"; empty if there are no owners.
std::string long_text(const Owners& owners, const plan::NodePlan& plan);
// "r3", "r0-3", "24 ranks"
std::string short_text(const Owners& owners, const plan::NodePlan& plan);

}  // namespace muster::picture
