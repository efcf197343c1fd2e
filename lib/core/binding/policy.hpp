// The binding policies: what each makes of the places where tasks would like to be.
#pragma once

#include "core/cpuset.hpp"
#include "core/option/values.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace muster {

struct Wishes {
  CpuSet allowed;             // inside the node's CPUs, not empty
  std::vector<CpuSet> homes;  // per task the CPUs beside its GPUs; empty: no GPU, or not known
};

struct Placement {
  std::vector<CpuSet> cpus;  // per task, inside `allowed`, never empty
  std::vector<std::string> warnings;
};

// Throws Error where the policy cannot be honoured.
Placement place(const Topology& topology, Bind policy, const Wishes& wishes);

// One file each.
Placement place_everywhere(const Wishes& wishes);                          // none
Placement place_shares(const Topology& topology, const Wishes& wishes);    // auto
Placement place_one_core(const Topology& topology, const Wishes& wishes);  // core
Placement place_exclusive(const Topology& topology, const Wishes& wishes);
Placement place_numa(const Topology& topology, const Wishes& wishes);
Placement place_socket(const Topology& topology, const Wishes& wishes);
Placement place_l3(const Topology& topology, const Wishes& wishes);

}  // namespace muster
