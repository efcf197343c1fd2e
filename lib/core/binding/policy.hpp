// The binding policies: each turns the preferred localities of tasks into CPUs.
#pragma once

#include "core/cpuset.hpp"
#include "core/option/value_types.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::binding {

struct Localities {
  CpuSet allowed;               // inside the node's CPUs, not empty
  std::vector<CpuSet> of_task;  // per task the CPUs near its GPUs; empty: no GPU, or unknown
};

struct CpuBinding {
  std::vector<CpuSet> cpus;  // per task, inside `allowed`, never empty
  std::vector<std::string> warnings;
};

// Throws Error if the policy cannot be honoured.
CpuBinding bind_tasks(const topology::Topology& topology, option::Bind policy,
                      const Localities& localities);

// Each policy is defined in a policy_*.cpp file.
CpuBinding bind_everywhere(const Localities& localities);                                    // none
CpuBinding bind_shares(const topology::Topology& topology, const Localities& localities);    // auto
CpuBinding bind_one_core(const topology::Topology& topology, const Localities& localities);  // core
CpuBinding bind_exclusive(const topology::Topology& topology, const Localities& localities);
CpuBinding bind_numa(const topology::Topology& topology, const Localities& localities);
CpuBinding bind_socket(const topology::Topology& topology, const Localities& localities);
CpuBinding bind_l3(const topology::Topology& topology, const Localities& localities);

}  // namespace muster::binding
