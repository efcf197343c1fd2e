// Localities around CPUs: NUMA nodes, packages, the whole node.
#include "core/binding/cores/locality.hpp"

#include "core/topology/topology.hpp"

namespace muster::binding::cores {

CpuSet local_cpus(const topology::Topology& topology, const std::vector<std::size_t>& gpus) {
  CpuSet cpus;
  for (const auto gpu : gpus) {
    const CpuSet& near = topology.gpus[gpu].at.cpus;
    if (near.empty()) return {};
    cpus |= near;
  }
  return cpus;
}

CpuSet numa_around(const topology::Topology& topology, const CpuSet& cpus) {
  CpuSet around = cpus;
  for (const auto& node : topology.numa_nodes)
    if (!node.memory_only && node.cpus.intersects(cpus)) around |= node.cpus;
  return around;
}

CpuSet packages_around(const topology::Topology& topology, const CpuSet& cpus) {
  CpuSet around = cpus;
  for (const auto& package : topology.packages)
    if (package.cpus.intersects(cpus)) around |= package.cpus;
  return around;
}

CpuSet wider_locality(const topology::Topology& topology, const CpuSet& allowed,
                      const CpuSet& locality) {
  const CpuSet now = locality & allowed;
  for (const CpuSet& around :
       {numa_around(topology, locality), packages_around(topology, locality)})
    if ((around & allowed) != now) return around;
  return allowed;
}

}  // namespace muster::binding::cores
