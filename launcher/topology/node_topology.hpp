// The one way by which every command knows the node that it runs on.
#pragma once

#include "core/environment.hpp"
#include "core/topology/hwloc/load.hpp"
#include "core/topology/topology.hpp"
#include "launcher/site/site.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::topology {

struct NodeTopology {
  Topology topology;
  std::string source;                 // "this machine", for whoever shows it
  std::vector<std::string> warnings;  // for the user: what could not be read, and what to do
};

struct TopologyQuery {
  const site::Site& site;
  const Environment& environment;        // the job's
  std::string node;                      // as Slurm names it; empty: this machine's host name
  bool verbose = false;                  // also say what was tried and not taken
  std::optional<hwloc::Scan> scan = {};  // none: as much as this job can use, see scan_for
};

// Devices only where the job has GPUs or may have, or there are RDMA devices: processors alone are
// several times faster.
hwloc::Scan scan_for(const Environment& environment, site::GpuSource gpus);

// With the facts that change while a node runs (ports that are up) as they are now. Throws Error
// only where not even the processors can be read.
NodeTopology node_topology(const TopologyQuery& query);

}  // namespace muster::topology
