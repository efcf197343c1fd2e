// How the model represents hwloc's topologies, real and synthetic.
#include "core/topology/topology.hpp"

#include "core/binding/binding.hpp"
#include "core/error.hpp"
#include "core/topology/hwloc/handle.hpp"
#include "core/topology/hwloc/load.hpp"
#include "fixtures/synthetic_xml.hpp"

#include <string>

#include <gtest/gtest.h>
#include <hwloc.h>
#include <unistd.h>

namespace muster::topology {
namespace {

Topology synthetic(const std::string& description) {
  return hwloc::parse_xml_topology(fixtures::synthetic_xml(description), description);
}

TEST(ThisMachine, HasTheCpusThatItsKernelCounts) {
  const Topology cpus = load_live_topology(hwloc::Scan::cpus);
  EXPECT_GE(static_cast<long>(cpus.pus.count()), sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_FALSE(cpus.cores.empty());
  EXPECT_TRUE(cpus.gpus.empty());
  EXPECT_TRUE(cpus.nics.empty());
}

TEST(ThisMachine, HasTheSameProcessorsWhenItsDevicesAreScannedToo) {
  const Topology cpus = load_live_topology(hwloc::Scan::cpus);
  const Topology all = load_live_topology(hwloc::Scan::devices);
  EXPECT_EQ(all.pus, cpus.pus);
  EXPECT_EQ(all.cores, cpus.cores);
  EXPECT_EQ(all.numa_nodes, cpus.numa_nodes);
}

// hwloc shows render nodes only to callers that ask for everything.
TEST(AScanOfDevices, AsksForTheRenderNodesThatAmdsRuntimeCountsBy) {
  const hwloc::HwlocHandle hwloc = new_hwloc_topology(hwloc::Scan::devices);
  hwloc_type_filter_e filter = HWLOC_TYPE_FILTER_KEEP_NONE;
  hwloc_topology_get_type_filter(hwloc.get(), HWLOC_OBJ_OS_DEVICE, &filter);
  EXPECT_EQ(filter, HWLOC_TYPE_FILTER_KEEP_ALL);
}

TEST(ASyntheticNode, KeepsEveryLevelThatBindingNeeds) {
  const Topology node = synthetic("pack:2 [numa] l3:2 core:4 pu:2");
  EXPECT_EQ(node.packages.size(), 2u);
  EXPECT_EQ(node.numa_nodes.size(), 2u);
  EXPECT_EQ(node.l3_groups.size(), 4u);
  EXPECT_EQ(node.cores.size(), 16u);
  EXPECT_EQ(node.pus, CpuSet::range(0, 31));
  const Core expected{CpuSet{18, 19}, 1, 1, 2};
  EXPECT_EQ(node.cores[9], expected);
}

TEST(ASyntheticNode, NumbersItsCoresAsSlurmDoes) {
  const Topology node = synthetic("pack:2 core:2 pu:2(indexes=4*2:2*2:1*1)");
  const auto cores = core_pus_by_logical_index(node);
  ASSERT_EQ(cores.size(), 4u);
  CpuSet all;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    EXPECT_EQ(cores[i].count(), 2u);
    EXPECT_TRUE(node.packages[i / 2].cpus.includes(cores[i])) << "core " << i;
    all |= cores[i];
  }
  EXPECT_EQ(all, node.pus);
}

TEST(ASyntheticNode, WithoutL3OrSmtHasNoneInTheModel) {
  const Topology node = synthetic("pack:1 core:3 pu:1");
  EXPECT_TRUE(node.l3_groups.empty());
  EXPECT_FALSE(node.cores[0].l3.has_value());
  EXPECT_EQ(node.cores[2].pus, CpuSet{2});
}

TEST(TwoMemoriesOfTheSameCpus, AreOneNumaNodeAndOneThatOnlyHoldsMemory) {
  const Topology node = synthetic("pack:2 [numa] [numa] core:2 pu:1");
  ASSERT_EQ(node.numa_nodes.size(), 4u);
  std::size_t with_cpus = 0;
  for (const auto& numa : node.numa_nodes) with_cpus += numa.memory_only ? 0U : 1U;
  EXPECT_EQ(with_cpus, 2u);
  EXPECT_EQ(numa_nodes_of(node, node.packages[1].cpus).count(), 1u);
}

TEST(ASyntheticNode, CanBePlanned) {
  const Topology node = synthetic("pack:2 [numa] l3:2 core:4 pu:1");
  binding::BindingRequest request;
  request.allowed = node.pus;
  request.tasks = 4;
  const auto plan = bind(node, request);
  for (std::size_t task = 0; task < 4; ++task)
    EXPECT_EQ(plan.tasks[task].cpus, node.l3_groups[task].cpus);
}

}  // namespace
}  // namespace muster::topology
