// What people declare about a node because its hardware does not report it: the site's rules and NCCL
// topology files.
#pragma once

#include "core/environment.hpp"
#include "core/file/trusted_file.hpp"
#include "core/site/topology_rules.hpp"
#include "core/topology/placement.hpp"

#include <string>
#include <vector>

namespace muster::topology {

// Where NCCL itself looks if NCCL_TOPO_FILE does not name a file.
inline constexpr const char* default_nccl_file = "/var/run/nvidia-topologyd/virtualTopology.xml";

struct DescribedTopology {
  Topology topology;
  std::vector<std::string> sources;   // the files that contributed something
  std::vector<std::string> warnings;  // files that could not be used, and why
  std::vector<std::string> notes;
};

struct Descriptions {
  const site::TopologyRule& rule;  // for this node; it always applies
  const file::Trust& trust;        // for the site's files
  std::string job_file;            // the job's own NCCL_TOPO_FILE; empty: none
  std::string provider_file;       // default_nccl_file
};

// The job's and the provider's file count only if they name a device for which the scan found no location.
// Never throws Error: if a file is missing, the plan merely lacks what the file would have said.
DescribedTopology with_descriptions(Topology topology, const Descriptions& descriptions);

}  // namespace muster::topology
