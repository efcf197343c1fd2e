// Decides which CPUs, memory, GPUs and NICs each local task gets. Pure: the same topology and
// request give the same plan on any machine. Nothing is read or applied here.
#pragma once

#include "core/cpuset.hpp"
#include "core/option/value_types.hpp"
#include "core/topology/cpu.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::binding {

struct BindingRequest {
  CpuSet allowed;                 // the CPUs that the step may use on this node
  std::vector<std::size_t> gpus;  // the step's GPUs as positions in Topology::gpus, in its order
  // Likewise by local task ID, if somebody else has divided them; empty: the plan divides them.
  std::vector<std::vector<std::size_t>> gpus_of_task = {};
  std::size_t tasks = 1;  // local tasks of the step
  option::Bind policy = option::Bind::auto_;
  bool smt = true;                         // false: one hardware thread of each core only
  std::vector<std::string> excluded_nics;  // globs: a site's storage network, for example
};

struct TaskBinding {
  CpuSet cpus;
  topology::NodeSet numa;              // memory nodes of these CPUs
  std::vector<std::size_t> gpus;       // the task's own, as positions in Topology::gpus
  std::vector<std::size_t> gpu_order;  // all GPUs of the step: its own first, then nearest first
  std::vector<std::size_t> nics;       // equally near ones, positions in Topology::nics
  std::size_t threads = 1;             // its own cores, or its part of shared ones; >= 1

  friend bool operator==(const TaskBinding&, const TaskBinding&) = default;
};

struct BindingPlan {
  bool sets_cpus = true;               // false for bind=none: leave the masks that Slurm set
  std::vector<TaskBinding> tasks;      // indexed by local rank
  std::vector<std::size_t> gpu_order;  // one list for all tasks: entry LOCAL_RANK is that rank's
  std::vector<std::size_t> nics;       // those that tasks may use, positions in Topology::nics
  std::vector<std::string> warnings;   // one line each, no two alike

  friend bool operator==(const BindingPlan&, const BindingPlan&) = default;
};

// Throws Error if no plan can honour the request: the node has none of the allowed CPUs, the
// topology lacks a GPU, or bind=exclusive has fewer cores than tasks.
BindingPlan bind(const topology::Topology& topology, const BindingRequest& request);

}  // namespace muster::binding
