// What each local task may use of this node: CPUs, memory, GPUs, NICs.
#pragma once

#include "core/binding/memory_policy.hpp"
#include "core/cpuset.hpp"
#include "core/environment.hpp"
#include "core/option/value_types.hpp"
#include "core/resources/task_resources.hpp"
#include "core/site/topology_rules.hpp"
#include "launcher/topology/node_topology.hpp"
#include "wire/messages.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::node {

struct NodeResources {
  std::vector<resources::TaskResources> tasks;  // by local task ID
  std::vector<std::string> warnings;
  std::size_t cores = 0;                     // cores of the node that a job may use
  std::size_t threads_per_core = 1;          // for those cores; 1 if cores differ
  option::Gpus gpus = option::Gpus::shared;  // what the tasks see: not always what the user wants
};

struct ResourceFacts {
  option::Bind bind = option::Bind::auto_;
  option::Memory memory = option::Memory::local;
  bool smt = true;
  option::Gpus gpus = option::Gpus::shared;
  const Environment& environment;  // the job's
  std::string_view cores;          // the step's cores, as Slurm's abstract indexes; empty: all
  std::string_view tres_bind;      // the step's TresBind
  std::size_t tasks = 0;           // on this node
  site::GpuSource source = site::GpuSource::gres;  // for a step that was granted no GPUs
  std::vector<std::string> excluded_nics = {};     // globs from the site's file
  bool user_bound = false;  // the user chose --cpu-bind, which remains in force
  std::size_t max_threads = std::numeric_limits<std::size_t>::max();  // room under that --cpu-bind
  bool user_bound_memory = false;                                     // likewise --mem-bind
  binding::KernelMemory kernel = {};  // what this node's kernel can do about memory
};

// The shares of the node's tasks, and any warnings about its topology.
NodeResources share_node(topology::NodeTopology node, const CpuSet& allowed,
                         const ResourceFacts& facts);

// The pure part. `allowed`: the CPUs that the step's processes may run on.
NodeResources share(topology::Topology topology, const CpuSet& allowed, const ResourceFacts& facts);

}  // namespace muster::node
