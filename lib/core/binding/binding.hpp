// Decides which CPUs, memory, GPUs and NICs each local task gets. Pure: the same topology and
// request give the same plan on any machine, and nothing is read or applied here.
#pragma once

#include "core/cpuset.hpp"
#include "core/option/values.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace muster::binding {

struct BindingRequest {
  CpuSet allowed;                 // the step's CPUs on this node
  std::vector<std::size_t> gpus;  // the step's GPUs as positions in Topology::gpus, in its order
  std::size_t tasks = 1;          // local tasks of the step
  option::Bind policy = option::Bind::auto_;
  bool smt = true;                         // false: one hardware thread of each core only
  std::vector<std::string> excluded_nics;  // globs: a site's storage network, for example
};

struct TaskBinding {
  CpuSet cpus;
  topology::NodeSet numa;              // memory nodes of these CPUs
  std::vector<std::size_t> gpus;       // its own, positions in Topology::gpus
  std::vector<std::size_t> gpu_order;  // all of the step: own first, then nearest first
  std::vector<std::size_t> nics;       // equally near ones, positions in Topology::nics
  std::size_t threads = 1;             // cores for it alone, or its part of shared ones; >= 1

  friend bool operator==(const TaskBinding&, const TaskBinding&) = default;
};

struct BindingPlan {
  bool sets_cpus = true;               // false for bind=none: leave masks as Slurm made them
  std::vector<TaskBinding> tasks;      // by local rank
  std::vector<std::size_t> gpu_order;  // one list for all tasks: place LOCAL_RANK is that rank's
  std::vector<std::size_t> nics;       // that tasks may use at all, positions in Topology::nics
  std::vector<std::string> warnings;   // one line each, no two alike

  friend bool operator==(const BindingPlan&, const BindingPlan&) = default;
};

// Throws Error where no plan can honour the request: no allowed CPU exists on the node, a GPU
// that the topology lacks, or bind=exclusive with fewer cores than tasks.
BindingPlan bind(const topology::Topology& topology, const BindingRequest& request);

}  // namespace muster::binding
