#include "made_up_node.hpp"

namespace muster::test {
namespace {

CpuSet threads_of_core(const Shape& shape, unsigned core) {
  CpuSet pus;
  for (unsigned thread = 0; thread < shape.smt; ++thread) pus.add(core + thread * shape.cores());
  return pus;
}

// Root bus (one per bus number here), the switch behind its root port, then the device's own.
Attachment behind_switch(const CpuSet& near, std::uint8_t bus, std::uint8_t slot) {
  return {near, {{bus, 0}, {bus, 1}, {bus, static_cast<std::uint8_t>(2 + slot)}}};
}

}  // namespace

Topology made_up_node(const Shape& shape) {
  Topology node;
  node.packages.resize(shape.packages);
  node.numa_nodes.resize(shape.numa_nodes());
  node.l3_groups.resize(shape.numa_nodes() * shape.l3_per_numa);
  for (unsigned c = 0; c < shape.cores(); ++c) {
    const CpuSet pus = threads_of_core(shape, c);
    const std::size_t l3 = c / shape.cores_per_l3;
    const std::size_t numa = l3 / shape.l3_per_numa;
    const std::size_t package = numa / shape.numa_per_package;
    node.cores.push_back({pus, package, numa, l3});
    node.pus |= pus;
    node.packages[package].cpus |= pus;
    node.numa_nodes[numa].cpus |= pus;
    node.l3_groups[l3].cpus |= pus;
  }
  for (unsigned i = 0; i < node.packages.size(); ++i) node.packages[i].os_index = i;
  for (unsigned i = 0; i < node.numa_nodes.size(); ++i) node.numa_nodes[i].os_index = i;
  return node;
}

void add_gpu(Topology& topology, const CpuSet& near, std::uint8_t bus) {
  Gpu gpu;
  gpu.vendor = GpuVendor::nvidia;
  gpu.index = static_cast<unsigned>(topology.gpus.size());
  gpu.address = {bus, 2, 0, 0};
  gpu.at = behind_switch(near, bus, 0);
  topology.gpus.push_back(gpu);
}

void add_nic(Topology& topology, const std::string& name, const CpuSet& near, std::uint8_t bus) {
  Nic nic;
  nic.name = name;
  nic.rdma = true;
  nic.address = {bus, 3, 0, 0};
  nic.at = behind_switch(near, bus, 1);
  topology.nics.push_back(nic);
}

}  // namespace muster::test
