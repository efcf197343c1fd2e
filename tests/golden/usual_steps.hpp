// The steps that every capture is planned for: which CPUs of the node they have, and the policies.
#pragma once

#include "core/cpuset.hpp"
#include "core/option/values.hpp"
#include "core/topology/topology.hpp"

#include <array>
#include <vector>

namespace muster::golden {

struct StepCpus {
  const char* name;
  CpuSet set;
};

// All CPUs; all without the first core of each L3 group or NUMA node, as many sites reserve it; every third
// CPU, which several steps on a node may leave; a single CPU.
std::vector<StepCpus> usual_cpusets(const topology::Topology& node);

// Harder ones: one thread of each core; the second half of the node; half a core here and there; none of the
// first NUMA node.
std::vector<StepCpus> awkward_cpusets(const topology::Topology& node);

struct BindingPolicy {
  const char* name;
  option::Bind bind;
};

constexpr std::array<BindingPolicy, 6> binding_policies{{{"auto", option::Bind::auto_},
                                                         {"core", option::Bind::core},
                                                         {"l3", option::Bind::l3},
                                                         {"numa", option::Bind::numa},
                                                         {"socket", option::Bind::socket},
                                                         {"exclusive", option::Bind::exclusive}}};

}  // namespace muster::golden
