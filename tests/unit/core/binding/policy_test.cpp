// The other policies, and threads when tasks share a mask.
#include "core/binding/binding.hpp"
#include "core/error.hpp"
#include "fixtures/made_up_node.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::binding {
namespace {

using Lists = std::vector<std::string>;

// Two packages of two NUMA nodes of two L3 groups of four cores; GPUs near NUMA nodes 1,1,2,2.
topology::Topology node_with_gpus() {
  topology::Topology node = fixtures::made_up_node(
      {.packages = 2, .numa_per_package = 2, .l3_per_numa = 2, .cores_per_l3 = 4, .smt = 2});
  for (std::uint8_t i = 0; i < 4; ++i) fixtures::add_gpu(node, node.numa_nodes[1 + i / 2].cpus, i);
  return node;
}

BindingPlan plan(const topology::Topology& node, option::Bind policy, std::size_t tasks,
                 bool with_gpus = true) {
  BindingRequest request;
  request.allowed = node.pus;
  request.tasks = tasks;
  request.policy = policy;
  for (std::size_t gpu = 0; with_gpus && gpu < node.gpus.size(); ++gpu) request.gpus.push_back(gpu);
  return bind(node, request);
}

Lists cpu_lists(const BindingPlan& plan) {
  Lists lists;
  for (const auto& task : plan.tasks) lists.push_back(task.cpus.to_string());
  return lists;
}

TEST(BindNone, LeavesTheMasksAloneAndDividesTheCoresForThreads) {
  const auto none = plan(node_with_gpus(), option::Bind::none, 4);
  EXPECT_FALSE(none.sets_cpus);
  EXPECT_EQ(cpu_lists(none), Lists(4, "0-63"));
  EXPECT_EQ(none.tasks[0].threads, 8u);
  EXPECT_TRUE(none.warnings.empty());
}

TEST(BindCore, GivesOneWholeCoreBesideTheGpu) {
  const auto core = plan(node_with_gpus(), option::Bind::core, 4);
  EXPECT_EQ(cpu_lists(core), (Lists{"8,40", "12,44", "16,48", "20,52"}));
  EXPECT_EQ(core.tasks[0].threads, 1u);
}

TEST(BindNuma, GivesTheWholeNodeOfTheGpuAndHalfItsThreadsToEachOfTwo) {
  const auto numa = plan(node_with_gpus(), option::Bind::numa, 4);
  EXPECT_EQ(cpu_lists(numa), (Lists{"8-15,40-47", "8-15,40-47", "16-23,48-55", "16-23,48-55"}));
  EXPECT_EQ(numa.tasks[0].threads, 4u);
}

TEST(BindNuma, SpreadsTasksWithoutGpusOverTheNodes) {
  const auto numa = plan(node_with_gpus(), option::Bind::numa, 2, false);
  EXPECT_EQ(cpu_lists(numa), (Lists{"0-7,32-39", "16-23,48-55"}));
}

TEST(BindSocket, GivesTheWholePackageOfTheGpu) {
  const auto socket = plan(node_with_gpus(), option::Bind::socket, 4);
  EXPECT_EQ(cpu_lists(socket), (Lists{"0-15,32-47", "0-15,32-47", "16-31,48-63", "16-31,48-63"}));
}

TEST(BindL3, GivesTheGroupsOfALocalityInTurn) {
  const auto l3 = plan(node_with_gpus(), option::Bind::l3, 4);
  EXPECT_EQ(cpu_lists(l3), (Lists{"8-11,40-43", "12-15,44-47", "16-19,48-51", "20-23,52-55"}));
}

TEST(BindL3, StartsWithTheGroupThatHasMostAllowedCpus) {
  const topology::Topology node = node_with_gpus();
  BindingRequest request;
  request.allowed = node.pus - CpuSet::parse("8,40");
  request.tasks = 1;
  request.policy = option::Bind::l3;
  request.gpus = {0};
  EXPECT_EQ(bind(node, request).tasks[0].cpus.to_string(), "12-15,44-47");
}

TEST(BindL3, GivesATaskThatMayGoAnywhereAGroupThatNobodyHas) {
  topology::Topology node = fixtures::made_up_node({.l3_per_numa = 2, .cores_per_l3 = 4});
  fixtures::add_gpu(node, node.l3_groups[0].cpus, 1);
  fixtures::add_gpu(node, node.packages[0].cpus, 2);
  EXPECT_EQ(cpu_lists(plan(node, option::Bind::l3, 2)), (Lists{"0-3", "4-7"}));
}

TEST(BindL3, WithoutAllowedCpusBesideTheGpuTakesAGroupOfItsNumaNode) {
  topology::Topology node =
      fixtures::made_up_node({.packages = 2, .l3_per_numa = 2, .cores_per_l3 = 4});
  fixtures::add_gpu(node, node.l3_groups[3].cpus, 1);
  BindingRequest request;
  request.allowed = CpuSet::parse("0-11");  // 8-11 is that node's other group
  request.policy = option::Bind::l3;
  request.gpus = {0};
  const auto l3 = bind(node, request);
  EXPECT_EQ(cpu_lists(l3), Lists{"8-11"});
  EXPECT_EQ(l3.warnings.size(), 1u);
}

TEST(BindL3, GivesNumaNodesWhereThereIsNoL3AndSaysSo) {
  topology::Topology node = node_with_gpus();
  node.l3_groups.clear();
  const auto l3 = plan(node, option::Bind::l3, 4);
  EXPECT_EQ(cpu_lists(l3), (Lists{"8-15,40-47", "8-15,40-47", "16-23,48-55", "16-23,48-55"}));
  ASSERT_EQ(l3.warnings.size(), 1u);
  EXPECT_NE(l3.warnings[0].find("bind=l3"), std::string::npos);
}

// Sub-NUMA clusters: one L3 cache for the whole package.
TEST(BindL3, StaysInTheNumaNodeOfTheGpuWhereACacheServesSeveral) {
  topology::Topology node = node_with_gpus();
  node.l3_groups = {{node.packages[0].cpus}, {node.packages[1].cpus}};
  EXPECT_EQ(cpu_lists(plan(node, option::Bind::l3, 4)),
            (Lists{"8-15,40-47", "8-15,40-47", "16-23,48-55", "16-23,48-55"}));
}

TEST(BindExclusive, DividesTheNumaNodeOfTheGpus) {
  EXPECT_EQ(cpu_lists(plan(node_with_gpus(), option::Bind::exclusive, 4)),
            (Lists{"8-11,40-43", "12-15,44-47", "16-19,48-51", "20-23,52-55"}));
}

TEST(BindExclusive, WithFewerCoresThanTasksIsAnErrorThatSaysWhatToDo) {
  try {
    plan(node_with_gpus(), option::Bind::exclusive, 40);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bind=auto"), std::string::npos) << error.what();
  }
  const topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 2, .smt = 2});
  EXPECT_NO_THROW(plan(node, option::Bind::exclusive, 2));
  EXPECT_THROW(plan(node, option::Bind::exclusive, 3), Error);
}

TEST(BindNuma, IsTheNodeOfTheGpuAlsoWhereTheStepHasNoneOfItsL3) {
  topology::Topology node =
      fixtures::made_up_node({.numa_per_package = 2, .l3_per_numa = 2, .cores_per_l3 = 4});
  fixtures::add_gpu(node, node.l3_groups[2].cpus, 1);
  BindingRequest request;
  request.allowed = CpuSet::parse("0-7,12-15");  // only the other group of node 1
  request.policy = option::Bind::numa;
  request.gpus = {0};
  const auto numa = bind(node, request);
  EXPECT_EQ(cpu_lists(numa), Lists{"12-15"});
  EXPECT_TRUE(numa.warnings.empty());
}

TEST(BindNuma, WithoutAllowedCpusBesideTheGpuRunsElsewhereAndSaysSo) {
  const topology::Topology node = node_with_gpus();
  BindingRequest request;
  request.allowed = CpuSet::parse("0-7");
  request.tasks = 2;
  request.policy = option::Bind::numa;
  request.gpus = {0, 2};
  const auto numa = bind(node, request);
  EXPECT_EQ(cpu_lists(numa), Lists(2, "0-7"));
  EXPECT_EQ(numa.warnings.size(), 1u);
}

}  // namespace
}  // namespace muster::binding
