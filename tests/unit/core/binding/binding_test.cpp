// bind=auto, rule by rule.
#include "core/binding/binding.hpp"

#include "core/error.hpp"
#include "fixtures/made_up_node.hpp"

#include <chrono>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::binding {
namespace {

BindingRequest whole_step(const topology::Topology& node, std::size_t tasks) {
  BindingRequest request;
  request.allowed = node.pus;
  request.tasks = tasks;
  for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) request.gpus.push_back(gpu);
  return request;
}

std::vector<std::string> cpus_of(const BindingPlan& plan) {
  std::vector<std::string> lists;
  for (const auto& task : plan.tasks) lists.push_back(task.cpus.to_string());
  return lists;
}

using Lists = std::vector<std::string>;

TEST(WithoutGpus, TasksShareTheCoresEvenlyWithTheirHardwareThreads) {
  const topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 4, .smt = 2});
  const auto plan = bind(node, whole_step(node, 2));
  EXPECT_EQ(cpus_of(plan), (Lists{"0-1,4-5", "2-3,6-7"}));
  EXPECT_EQ(plan.tasks[0].threads, 2u);
  EXPECT_TRUE(plan.warnings.empty());
  EXPECT_TRUE(plan.sets_cpus);
}

TEST(WithoutGpus, TheFirstTasksGetTheCoresThatAreLeftOver) {
  const topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 8});
  EXPECT_EQ(cpus_of(bind(node, whole_step(node, 3))), (Lists{"0-2", "3-5", "6-7"}));
}

TEST(WithoutGpus, TheCoreLeftOverGoesWhereItKeepsNumaNodesApart) {
  const topology::Topology node =
      fixtures::made_up_node({.numa_per_package = 2, .cores_per_l3 = 4});
  auto request = whole_step(node, 2);
  request.allowed = CpuSet::parse("0-2,4-7");
  const auto plan = bind(node, request);
  EXPECT_EQ(cpus_of(plan), (Lists{"0-2", "4-7"}));
  EXPECT_EQ(plan.tasks[0].numa.to_string(), "0");
  EXPECT_EQ(plan.tasks[1].numa.to_string(), "1");
}

TEST(WithoutGpus, AsManyTasksAsNumaNodesGetOneEach) {
  const topology::Topology node =
      fixtures::made_up_node({.packages = 2, .numa_per_package = 2, .cores_per_l3 = 8});
  const auto plan = bind(node, whole_step(node, 4));
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(plan.tasks[i].numa, topology::NodeSet{i});
}

TEST(WithoutGpus, HolesInTheStepsCpusetAreRespected) {
  const topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 8, .smt = 2});
  auto request = whole_step(node, 2);
  request.allowed = CpuSet::parse("1,3,5,7,9,11");  // 1,9 and 3,11 are cores; 5 and 7 half cores
  EXPECT_EQ(cpus_of(bind(node, request)), (Lists{"1,3,9,11", "5,7"}));
}

TEST(WithoutGpus, CpusThatTheNodeLacksAreIgnored) {
  const topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 2});
  auto request = whole_step(node, 1);
  request.allowed = CpuSet::parse("1,100");
  EXPECT_EQ(cpus_of(bind(node, request)), (Lists{"1"}));
}

TEST(WithoutGpus, SmtCanBeDropped) {
  const topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 4, .smt = 2});
  auto request = whole_step(node, 2);
  request.smt = false;
  const auto plan = bind(node, request);
  EXPECT_EQ(cpus_of(plan), (Lists{"0-1", "2-3"}));
  EXPECT_EQ(plan.tasks[0].threads, 2u);
}

TEST(MoreTasksThanCores, GetHardwareThreadsOfTheirOwn) {
  const topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 3, .smt = 2});
  EXPECT_EQ(cpus_of(bind(node, whole_step(node, 4))), (Lists{"0", "3", "1,4", "2,5"}));
}

TEST(MoreTasksThanCores, StillGetThemWhenSmtIsDropped) {
  const topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 2, .smt = 2});
  auto request = whole_step(node, 4);
  request.smt = false;
  EXPECT_EQ(cpus_of(bind(node, request)), (Lists{"0", "2", "1", "3"}));
}

TEST(MoreTasksThanCpus, EachGetAllThatTheyShare) {
  const topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 2});
  for (const auto policy : {option::Bind::auto_, option::Bind::core}) {
    auto request = whole_step(node, 4);
    request.policy = policy;
    const auto plan = bind(node, request);
    EXPECT_EQ(cpus_of(plan), (Lists{"0-1", "0-1", "0-1", "0-1"}));
    EXPECT_EQ(plan.tasks[0].threads, 1u);
  }
}

TEST(MoreTasksThanCpus, ShareThoseNearTheirGpus) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 2});
  for (const std::size_t package : {0U, 1U}) {
    const auto bus = static_cast<std::uint8_t>(node.gpus.size());
    fixtures::add_gpu(node, node.packages[package].cpus, bus);
  }
  EXPECT_EQ(cpus_of(bind(node, whole_step(node, 6))),
            (Lists{"0-1", "2-3", "0-1", "2-3", "0-1", "2-3"}));
}

TEST(MoreTasksThanCpus, ShareMoreThanThoseNearTheirGpuWhereTheyWouldCrowdThere) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 2});
  fixtures::add_gpu(node, node.packages[0].cpus, 1);
  EXPECT_EQ(cpus_of(bind(node, whole_step(node, 5))), (Lists(5, "0-3")));
}

TEST(MoreTasksThanCpus, ShareThemAndSayItOnce) {
  const topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 4});
  auto request = whole_step(node, 4);
  request.allowed = CpuSet{2};
  const auto plan = bind(node, request);
  EXPECT_EQ(cpus_of(plan), (Lists{"2", "2", "2", "2"}));
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_NE(plan.warnings[0].find("4 tasks share CPUs 2"), std::string::npos);
  EXPECT_EQ(plan.tasks[3].threads, 1u);
}

TEST(WithGpus, EachTaskIsBesideItsGpuWhateverTheirOrder) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  fixtures::add_gpu(node, node.numa_nodes[1].cpus, 1);
  fixtures::add_gpu(node, node.numa_nodes[0].cpus, 2);
  EXPECT_EQ(cpus_of(bind(node, whole_step(node, 2))), (Lists{"4-7", "0-3"}));
}

TEST(WithGpus, TasksBesideTheSameCpusShareThemEvenly) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 7});
  for (std::uint8_t i = 0; i < 3; ++i) fixtures::add_gpu(node, node.packages[1].cpus, i);
  EXPECT_EQ(cpus_of(bind(node, whole_step(node, 3))), (Lists{"7-9", "10-11", "12-13"}));
}

TEST(WithGpus, ATaskWithAWideHomeLeavesTheNarrowOneToItsNeighbour) {
  topology::Topology node = fixtures::made_up_node({.l3_per_numa = 2, .cores_per_l3 = 4});
  fixtures::add_gpu(node, node.l3_groups[0].cpus, 1);
  fixtures::add_gpu(node, node.packages[0].cpus, 2);
  EXPECT_EQ(cpus_of(bind(node, whole_step(node, 2))), (Lists{"0-3", "4-7"}));
}

TEST(WithGpus, ATaskBetweenTwoPackagesTakesAsMuchFromEach) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 6});
  for (const std::size_t package : {0U, 0U, 1U, 1U}) {
    const auto bus = static_cast<std::uint8_t>(node.gpus.size());
    fixtures::add_gpu(node, node.packages[package].cpus, bus);
  }
  node.gpu_links = {{1, 2, 50}};  // connected although they are in different packages
  auto request = whole_step(node, 3);
  request.gpus = {1, 2, 0, 3};
  const auto plan = bind(node, request);
  EXPECT_EQ(plan.tasks[0].gpus, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(cpus_of(plan), (Lists{"0-1,6-7", "2-5", "8-11"}));
}

TEST(WithGpus, TasksKeepThoseThatSomebodyElseAssignedToThem) {
  topology::Topology node = fixtures::made_up_node({.numa_per_package = 2});
  fixtures::add_gpu(node, CpuSet::range(0, 3), 0x10);
  fixtures::add_gpu(node, CpuSet::range(4, 7), 0x20);
  auto request = whole_step(node, 2);
  request.gpus_of_task = {{1}, {0}};
  const auto plan = bind(node, request);
  EXPECT_EQ(cpus_of(plan), (Lists{"4-7", "0-3"}));
  EXPECT_EQ(plan.tasks[0].gpus, std::vector<std::size_t>{1});
  request.gpus_of_task = {{0, 1}, {0, 1}};
  EXPECT_EQ(bind(node, request).tasks[1].gpus, (std::vector<std::size_t>{0, 1}));
}

TEST(WithGpus, FewerTasksThanGpusGetNeighboursTogether) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  for (std::uint8_t i = 0; i < 4; ++i) fixtures::add_gpu(node, node.packages[i % 2].cpus, i);
  const auto plan = bind(node, whole_step(node, 2));
  EXPECT_EQ(plan.tasks[0].gpus, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(plan.tasks[1].gpus, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(cpus_of(plan), (Lists{"0-3", "4-7"}));
}

TEST(WithGpus, FastLinksKeepGpusTogetherBeforePlaceDoes) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  for (std::uint8_t i = 0; i < 4; ++i) fixtures::add_gpu(node, node.packages[i / 2].cpus, i);
  node.gpu_links = {{0, 3, 50}, {1, 2, 50}};
  const auto plan = bind(node, whole_step(node, 2));
  EXPECT_EQ(plan.tasks[0].gpus, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(plan.tasks[1].gpus, (std::vector<std::size_t>{1, 2}));
}

TEST(WithGpus, AnOddGpuGoesToTheTaskThatIsNearIt) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  for (std::uint8_t i = 0; i < 7; ++i)
    fixtures::add_gpu(node, node.packages[i < 3 ? 0 : 1].cpus, i);
  const auto plan = bind(node, whole_step(node, 2));
  EXPECT_EQ(plan.tasks[0].gpus, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(plan.tasks[1].gpus, (std::vector<std::size_t>{3, 4, 5, 6}));
}

TEST(WithGpus, OddGpusAreSpreadOverThePackagesSoThatTasksHaveEqualCores) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 9});
  for (std::uint8_t i = 0; i < 8; ++i) fixtures::add_gpu(node, node.packages[i / 4].cpus, i);
  const auto plan = bind(node, whole_step(node, 6));
  EXPECT_EQ(cpus_of(plan), (Lists{"0-2", "3-5", "6-8", "9-11", "12-14", "15-17"}));
  EXPECT_EQ(plan.tasks[0].gpus, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(plan.tasks[3].gpus, (std::vector<std::size_t>{4, 5}));
  EXPECT_EQ(plan.tasks[5].gpus, (std::vector<std::size_t>{7}));
}

TEST(WithGpus, NoTaskIsPutAsideWithALonelyGpu) {
  topology::Topology node = fixtures::made_up_node({.packages = 3, .cores_per_l3 = 2});
  for (const std::size_t package : {0U, 0U, 0U, 1U, 1U, 1U, 2U})
    fixtures::add_gpu(node, node.packages[package].cpus,
                      static_cast<std::uint8_t>(node.gpus.size()));
  for (const auto& task : bind(node, whole_step(node, 3)).tasks) EXPECT_GE(task.gpus.size(), 2u);
}

TEST(WithGpus, MoreTasksThanGpusTakeThemInTurn) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  fixtures::add_gpu(node, node.packages[0].cpus, 1);
  fixtures::add_gpu(node, node.packages[1].cpus, 2);
  const auto plan = bind(node, whole_step(node, 4));
  EXPECT_EQ(plan.tasks[2].gpus, (std::vector<std::size_t>{0}));
  EXPECT_EQ(plan.tasks[3].gpus, (std::vector<std::size_t>{1}));
  EXPECT_EQ(cpus_of(plan), (Lists{"0-1", "4-5", "2-3", "6-7"}));
}

TEST(WithGpus, TheListForAllTasksHasEachRanksGpuAtItsPlace) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  for (std::uint8_t i = 0; i < 4; ++i) fixtures::add_gpu(node, node.packages[i % 2].cpus, i);
  const auto plan = bind(node, whole_step(node, 2));
  ASSERT_EQ(plan.gpu_order.size(), 4u);
  for (std::size_t rank = 0; rank < 2; ++rank)
    EXPECT_EQ(plan.gpu_order[rank], plan.tasks[rank].gpus.front());
  EXPECT_EQ(bind(node, whole_step(node, 4)).gpu_order, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(WithGpus, OtherGpusFollowNearestFirst) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  for (std::uint8_t i = 0; i < 4; ++i) fixtures::add_gpu(node, node.packages[i % 2].cpus, i);
  const auto plan = bind(node, whole_step(node, 4));
  EXPECT_EQ(plan.tasks[1].gpu_order, (std::vector<std::size_t>{1, 3, 0, 2}));
}

TEST(WithGpus, OnlyTheStepsGpusAreGivenOut) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  for (std::uint8_t i = 0; i < 4; ++i) fixtures::add_gpu(node, node.packages[i / 2].cpus, i);
  auto request = whole_step(node, 1);
  request.gpus = {3};
  EXPECT_EQ(cpus_of(bind(node, request)), (Lists{"4-7"}));
  request.gpus = {4};
  EXPECT_THROW(bind(node, request), Error);
}

TEST(GpusWithoutLocality, TakePartAsIfThereWereNoGpuAndAreNamedOnce) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  fixtures::add_gpu(node, {}, 7);
  fixtures::add_gpu(node, {}, 8);
  const auto plan = bind(node, whole_step(node, 2));
  EXPECT_EQ(cpus_of(plan), (Lists{"0-3", "4-7"}));
  EXPECT_EQ(plan.tasks[1].gpus, (std::vector<std::size_t>{1}));
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_NE(plan.warnings[0].find("0007:02:00.0, 0008:02:00.0"), std::string::npos);
}

TEST(GpusOutsideTheStepsCpus, SendTheirTasksToTheNearestAllowedOnes) {
  topology::Topology node =
      fixtures::made_up_node({.packages = 2, .numa_per_package = 2, .cores_per_l3 = 4});
  fixtures::add_gpu(node, node.numa_nodes[1].cpus, 1);
  auto request = whole_step(node, 1);
  request.allowed = CpuSet::parse("0-3,8-15");  // none of 4-7
  const auto plan = bind(node, request);
  EXPECT_EQ(cpus_of(plan), (Lists{"0-3"}));
  EXPECT_EQ(plan.warnings.size(), 1u);
}

TEST(TooFewLocalCpus, FillUpBeforeTasksGoElsewhere) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  for (std::uint8_t i = 0; i < 3; ++i) fixtures::add_gpu(node, node.packages[0].cpus, i);
  auto request = whole_step(node, 3);
  request.allowed = CpuSet::parse("0-1,4-5");
  const auto plan = bind(node, request);
  EXPECT_EQ(cpus_of(plan), (Lists{"0", "1", "4-5"}));
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_NE(plan.warnings[0].find("(1 of 3: local rank 2)"), std::string::npos);
}

TEST(TooFewLocalCpus, SplitNoCoreOfTasksThatHaveEnough) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4, .smt = 2});
  for (const std::size_t package : {0U, 0U, 0U, 1U, 1U})
    fixtures::add_gpu(node, node.packages[package].cpus,
                      static_cast<std::uint8_t>(node.gpus.size()));
  auto request = whole_step(node, 5);
  request.allowed = CpuSet::parse("0,8,4-7,12-15");  // one core of the first package
  const auto plan = bind(node, request);
  EXPECT_EQ(cpus_of(plan), (Lists{"0", "8", "4-5,12-13", "6,14", "7,15"}));
}

TEST(AStepWithoutAnyCpuOfTheNode, IsAnError) {
  const topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 2});
  auto request = whole_step(node, 1);
  request.allowed = CpuSet{};
  EXPECT_THROW(bind(node, request), Error);
  request.allowed = CpuSet{77};
  EXPECT_THROW(bind(node, request), Error);
  request.allowed = node.pus;
  request.tasks = 0;
  EXPECT_THROW(bind(node, request), Error);
}

TEST(ANodeWithoutNumaOrCaches, IsSharedByCores) {
  topology::Topology node;
  node.pus = CpuSet::parse("0-3");
  for (unsigned pu = 0; pu < 4; ++pu) node.cores.push_back({{pu}, {}, {}, {}});
  const auto plan = bind(node, whole_step(node, 2));
  EXPECT_EQ(cpus_of(plan), (Lists{"0-1", "2-3"}));
  EXPECT_TRUE(plan.tasks[0].numa.empty());
}

TEST(MemoryWithoutProcessors, IsNobodysMemoryNode) {
  topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 4});
  node.numa_nodes.push_back({4, node.pus, true});
  node.numa_nodes.push_back({5, {}, true});
  EXPECT_EQ(bind(node, whole_step(node, 1)).tasks[0].numa.to_string(), "0");
}

TEST(ABigNode, IsPlannedWithinTwoMilliseconds) {
  topology::Topology node = fixtures::made_up_node(
      {.packages = 2, .numa_per_package = 4, .l3_per_numa = 2, .cores_per_l3 = 8, .smt = 2});
  for (std::uint8_t i = 0; i < 8; ++i) {
    fixtures::add_gpu(node, node.numa_nodes[i].cpus, i);
    fixtures::add_nic(node, fmt::format("mlx5_{}", i), node.numa_nodes[i].cpus, i);
  }
  auto best = std::chrono::steady_clock::duration::max();
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const auto plan = bind(node, whole_step(node, 8));
    best = std::min(best, std::chrono::steady_clock::now() - start);
    ASSERT_EQ(plan.tasks.size(), 8u);
  }
  EXPECT_LE(best, std::chrono::milliseconds(2));
}

}  // namespace
}  // namespace muster::binding
