// Which NIC a task uses.
#include "core/binding/binding.hpp"
#include "fixtures/made_up_node.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::binding::devices {
namespace {

using Names = std::vector<std::string>;

// Two packages with a GPU near each.
topology::Topology node_with_gpus() {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  fixtures::add_gpu(node, node.packages[0].cpus, 1);
  fixtures::add_gpu(node, node.packages[1].cpus, 2);
  return node;
}

std::vector<Names> nics(const topology::Topology& node, std::size_t tasks, Names excluded = {},
                        bool with_gpus = true) {
  BindingRequest request;
  request.allowed = node.pus;
  request.tasks = tasks;
  request.excluded_nics = std::move(excluded);
  for (std::size_t gpu = 0; with_gpus && gpu < node.gpus.size(); ++gpu) request.gpus.push_back(gpu);
  std::vector<Names> all;
  for (const auto& task : bind(node, request).tasks) {
    Names names;
    for (const auto nic : task.nics) names.push_back(node.nics[nic].name);
    all.push_back(names);
  }
  return all;
}

TEST(Nics, BelowTheGpusSwitchBeatOnesInItsPackage) {
  topology::Topology node = node_with_gpus();
  fixtures::add_nic(node, "far", node.packages[0].cpus, 9);
  fixtures::add_nic(node, "near", node.packages[0].cpus, 1);
  EXPECT_EQ(nics(node, 2)[0], (Names{"near"}));
}

TEST(Nics, InTheGpusPackageBeatOnesAcross) {
  topology::Topology node = node_with_gpus();
  fixtures::add_nic(node, "mlx5_0", node.packages[0].cpus, 8);
  fixtures::add_nic(node, "mlx5_1", node.packages[1].cpus, 9);
  EXPECT_EQ(nics(node, 2), (std::vector<Names>{{"mlx5_0"}, {"mlx5_1"}}));
}

TEST(Nics, AcrossPackagesAreBetterThanNone) {
  topology::Topology node = node_with_gpus();
  fixtures::add_nic(node, "mlx5_0", node.packages[0].cpus, 8);
  EXPECT_EQ(nics(node, 2)[1], (Names{"mlx5_0"}));
}

TEST(Nics, EquallyNearAreAllGivenAndTasksStartWithDifferentOnes) {
  topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 4});
  fixtures::add_gpu(node, node.pus, 1);
  fixtures::add_gpu(node, node.pus, 2);
  fixtures::add_nic(node, "mlx5_0", node.pus, 8);
  fixtures::add_nic(node, "mlx5_1", node.pus, 9);
  EXPECT_EQ(nics(node, 2), (std::vector<Names>{{"mlx5_0", "mlx5_1"}, {"mlx5_1", "mlx5_0"}}));
}

TEST(Nics, AreBegunWithInTurnAlsoWhereTasksHaveDifferentChoices) {
  topology::Topology node = fixtures::made_up_node({.cores_per_l3 = 4});
  fixtures::add_gpu(node, node.pus, 5);  // no NIC near it: both are equally far
  fixtures::add_gpu(node, node.pus, 8);  // behind the switch of mlx5_0
  fixtures::add_nic(node, "mlx5_0", node.pus, 8);
  fixtures::add_nic(node, "mlx5_1", node.pus, 9);
  EXPECT_EQ(nics(node, 2), (std::vector<Names>{{"mlx5_1", "mlx5_0"}, {"mlx5_0"}}));
}

TEST(Nics, ThatAreDownExcludedOrWithoutRdmaAreNotUsed) {
  topology::Topology node = node_with_gpus();
  for (const char* name : {"down", "storage", "plain", "good"})
    fixtures::add_nic(node, name, node.packages[0].cpus, name == std::string("good") ? 9 : 1);
  node.nics[0].up = false;
  node.nics[2].rdma = false;
  EXPECT_EQ(nics(node, 2, {"storage"})[0], (Names{"good"}));
}

TEST(Nics, AreExcludedByGlobsOfTheirDeviceTheirInterfaceOrTheirAddress) {
  topology::Topology node = node_with_gpus();
  for (const char* name : {"mlx5_4", "mlx5_5", "mlx5_6", "mlx5_0"})
    fixtures::add_nic(node, name, node.packages[0].cpus, name == std::string("mlx5_0") ? 9 : 1);
  node.nics[1].networks = {"ibs1"};
  node.nics[2].address = {0, 0xa1, 0, 0};
  EXPECT_EQ(nics(node, 2, {"mlx5_4", "ibs*", "0000:a1:*"})[0], (Names{"mlx5_0"}));
}

// A 25 Gb/s management port is near a GPU, the 400 Gb/s port behind another switch.
TEST(Nics, OfLessThanHalfTheSpeedOfTheFastestAreNotUsedHoweverNear) {
  topology::Topology node = node_with_gpus();
  fixtures::add_nic(node, "management", node.packages[0].cpus, 1);
  fixtures::add_nic(node, "fast", node.packages[0].cpus, 9);
  node.nics[0].gigabits = 25;
  node.nics[1].gigabits = 400;
  EXPECT_EQ(nics(node, 2)[0], (Names{"fast"}));
  node.nics[0].gigabits = 200;
  EXPECT_EQ(nics(node, 2)[0], (Names{"management"}));
}

TEST(Nics, OfTwoFabricsAreThoseOfTheFasterOne) {
  topology::Topology node = node_with_gpus();
  fixtures::add_nic(node, "ib", node.packages[0].cpus, 1);
  fixtures::add_nic(node, "roce", node.packages[0].cpus, 9);
  node.nics[0].infiniband = true;
  node.nics[0].gigabits = 100;
  node.nics[1].infiniband = false;
  node.nics[1].gigabits = 400;
  EXPECT_EQ(nics(node, 2)[0], (Names{"roce"}));
  node.nics[0].gigabits = 400;
  EXPECT_EQ(nics(node, 2)[0], (Names{"ib"}));
}

// A storage port that no rule names is not used while a compute port is nearer.
TEST(Nics, ForStorageAreFartherThanEachGpusOwn) {
  topology::Topology node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 4});
  for (std::uint8_t bus = 1; bus <= 2; ++bus) {
    fixtures::add_gpu(node, node.packages[bus - 1U].cpus, bus);
    fixtures::add_nic(node, bus == 1 ? "mlx5_0" : "mlx5_3", node.packages[bus - 1U].cpus, bus);
  }
  fixtures::add_nic(node, "mlx5_1", node.packages[0].cpus, 8);
  EXPECT_EQ(nics(node, 2), (std::vector<Names>{{"mlx5_0"}, {"mlx5_3"}}));
}

TEST(Nics, AreNotInventedWhereAllAreDown) {
  topology::Topology node = node_with_gpus();
  fixtures::add_nic(node, "down", node.packages[0].cpus, 1);
  node.nics[0].up = false;
  EXPECT_EQ(nics(node, 2)[0], Names{});
}

TEST(Nics, OfInfinibandBeatEthernetOnesBesideThem) {
  topology::Topology node = node_with_gpus();
  fixtures::add_nic(node, "eth", node.packages[0].cpus, 8);
  fixtures::add_nic(node, "ib", node.packages[0].cpus, 9);
  node.nics[0].infiniband = false;
  node.nics[1].infiniband = true;
  EXPECT_EQ(nics(node, 2)[0], (Names{"ib"}));
}

TEST(Nics, ThatAreFasterBeatSlowerOnesBesideThem) {
  topology::Topology node = node_with_gpus();
  fixtures::add_nic(node, "slow", node.packages[0].cpus, 8);
  fixtures::add_nic(node, "fast", node.packages[0].cpus, 9);
  node.nics[0].gigabits = 100;
  node.nics[1].gigabits = 400;
  EXPECT_EQ(nics(node, 2)[0], (Names{"fast"}));
}

TEST(Nics, OfTasksWithoutGpusAreNearTheirCpus) {
  topology::Topology node = node_with_gpus();
  fixtures::add_nic(node, "mlx5_0", node.packages[0].cpus, 8);
  fixtures::add_nic(node, "mlx5_1", node.packages[1].cpus, 9);
  EXPECT_EQ(nics(node, 2, {}, false), (std::vector<Names>{{"mlx5_0"}, {"mlx5_1"}}));
}

}  // namespace
}  // namespace muster::binding::devices
