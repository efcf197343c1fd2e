// How commands learn about the node that they run on; there is no other way.
#pragma once

#include "core/environment.hpp"
#include "core/topology/hwloc/load.hpp"
#include "core/topology/topology.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::site {
class Site;
enum class GpuSource : std::uint8_t;
}  // namespace muster::site

namespace muster::topology {

struct NodeTopology {
  Topology topology;
  std::string source;                 // "this machine", for display
  std::vector<std::string> warnings;  // for the user: what could not be read, and what to do
};

struct TopologyQuery {
  const site::Site& site;
  const Environment& environment;        // the job's
  std::string node;                      // its name in Slurm; empty: this machine's host name
  bool verbose = false;                  // also report what was tried and not used
  std::optional<hwloc::Scan> scan = {};  // empty: as much as this job can use, see scan_for()
};

// Includes devices only if the job has or may have GPUs, or if there are RDMA devices: a scan of just the
// processors is several times faster.
hwloc::Scan scan_for(const Environment& environment, site::GpuSource gpus);

// Includes the current values of facts that change while a node runs (such as which ports are up). Throws
// Error only if not even the processors can be read.
NodeTopology node_topology(const TopologyQuery& query);

}  // namespace muster::topology
