// What each local task may use of this node: CPUs, memory, GPUs, NICs.
#pragma once

#include "core/binding/memory_policy.hpp"
#include "core/environment.hpp"
#include "core/option/values.hpp"
#include "core/resources/task_resources.hpp"
#include "core/site/topology_rules.hpp"
#include "core/topology/topology.hpp"
#include "launcher/topology/node_topology.hpp"
#include "wire/messages.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

struct NodeResources {
  std::vector<TaskResources> tasks;  // by local task id
  std::vector<std::string> warnings;
};

struct ResourceFacts {
  Bind bind = Bind::auto_;
  Memory memory = Memory::local;
  bool smt = true;
  Gpus gpus = Gpus::shared;
  const Environment& environment;               // the job's
  std::string_view cores;                       // the step's, Slurm's abstract indexes; empty: all
  std::string_view tres_bind;                   // the step's TresBind
  std::size_t tasks = 0;                        // on this node
  GpuSource source = GpuSource::gres;           // of a step without GPUs
  std::vector<std::string> excluded_nics = {};  // globs, by the site
  bool user_bound = false;  // the user chose --cpu-bind, which then stays as it is
  std::size_t max_threads = std::numeric_limits<std::size_t>::max();  // under that --cpu-bind
  bool user_bound_memory = false;                                     // likewise --mem-bind
  KernelMemory kernel = {};  // what this node's kernel can do about memory
};

// The node shared, with what there is to say about its topology.
NodeResources share_node(NodeTopology node, const CpuSet& allowed, const ResourceFacts& facts);

// The pure part: `allowed` is what the step's processes may run on.
NodeResources share(Topology topology, const CpuSet& allowed, const ResourceFacts& facts);

}  // namespace muster::agent
