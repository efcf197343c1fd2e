// What people say of a node that its hardware does not: the site's rules, NCCL topology files.
#pragma once

#include "core/environment.hpp"
#include "core/file/trusted_file.hpp"
#include "core/site/topology_rules.hpp"
#include "core/topology/placement.hpp"

#include <string>
#include <vector>

namespace muster::topology {

// Where NCCL itself looks if NCCL_TOPO_FILE names no file.
inline constexpr const char* default_nccl_file = "/var/run/nvidia-topologyd/virtualTopology.xml";

struct DescribedTopology {
  Topology topology;
  std::vector<std::string> sources;   // the files that had something to say
  std::vector<std::string> warnings;  // files that cannot be used, and why
  std::vector<std::string> notes;
};

struct Descriptions {
  const site::TopologyRule& rule;  // of this node; what it says always holds
  const file::Trust& trust;        // of the site's files
  std::string job_file;            // the job's own NCCL_TOPO_FILE; empty: none
  std::string provider_file;       // default_nccl_file
};

// The job's and the provider's file count only where the scan found no place for a device that they
// name. Never throws Error: without a file there is a plan without its knowledge.
DescribedTopology with_descriptions(Topology topology, const Descriptions& descriptions);

}  // namespace muster::topology
