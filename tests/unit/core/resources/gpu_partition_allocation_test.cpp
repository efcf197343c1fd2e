// MIG instances as Slurm allocates them, and the GPUs of a node that Slurm does not know.
#include "core/resources/gpu_lookup.hpp"
#include "core/resources/visible_gpus.hpp"
#include "core/topology/gpu_partitions.hpp"
#include "fixtures/made_up_node.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::resources {
namespace {

using Texts = std::vector<std::string>;
using Positions = std::vector<std::size_t>;

// Two memory nodes; GPU 0 is near the second one.
topology::Topology two_gpus() {
  auto node = fixtures::made_up_node({.packages = 1, .numa_per_package = 2});
  fixtures::add_gpu(node, CpuSet::range(4, 7), 0x10);
  fixtures::add_gpu(node, CpuSet::range(0, 3), 0x20);
  node.gpus[0].uuid = "GPU-aaaa";
  node.gpus[1].uuid = "GPU-bbbb";
  return node;
}

topology::Topology with_first_divided() {
  const auto node = two_gpus();
  return with_mig(node, {{node.gpus[0].address, {"MIG-1", "MIG-2"}}});
}

GpuGrant slurm_gives(const std::string& ids, const std::string& visible) {
  return gpu_grant({{"SLURM_STEP_GPUS", ids}, {"CUDA_VISIBLE_DEVICES", visible}}, "");
}

std::string shown(const topology::Topology& topology, const GpuGrant& grant,
                  const Positions& positions, std::size_t task = 0) {
  const binding::BindingRequest request{
      .allowed = topology.pus, .gpus = positions, .tasks = positions.size(), .excluded_nics = {}};
  const auto plan = bind(topology, request);
  return gpu_views(topology, grant, positions, plan, option::Gpus::own)
      .tasks[task]
      .variables.front()
      .value;
}

// Slurm's numbers count instances among the GPUs: 2 is the second whole GPU here.
TEST(MigGrant, IsFoundByItsUuidsAndNotBySlurmsNumbers) {
  auto topology = with_first_divided();
  EXPECT_EQ(find_gpus(topology, slurm_gives("1,2", "MIG-2,GPU-bbbb")), (Positions{1, 2}));
  EXPECT_EQ(find_gpus(topology, slurm_gives("0,1", "MIG-1,MIG-2")), (Positions{0, 1}));
}

TEST(MigGrant, IsShownByTheNamesThatSlurmUses) {
  auto topology = with_first_divided();
  const auto grant = slurm_gives("0,1", "MIG-1,MIG-2");
  EXPECT_EQ(shown(topology, grant, find_gpus(topology, grant)).substr(0, 4), "MIG-");
}

GpuViews views(topology::Topology topology, const GpuGrant& grant, std::size_t tasks) {
  const auto positions = find_gpus(topology, grant);
  const binding::BindingRequest request{
      .allowed = topology.pus, .gpus = positions, .tasks = tasks, .excluded_nics = {}};
  return gpu_views(topology, grant, positions, bind(topology, request), option::Gpus::shared);
}

// CUDA shows a program only the first instance of a list.
TEST(MigGrant, ShowsEachTaskItsOwnInstanceEvenIfTasksAreToShare) {
  const auto both = views(with_first_divided(), slurm_gives("0,1", "MIG-1,MIG-2"), 2);
  EXPECT_EQ(both.seen, option::Gpus::own);
  EXPECT_EQ(both.tasks[0].variables[0].value, "MIG-1");
  EXPECT_EQ(both.tasks[1].variables[0].value, "MIG-2");
  EXPECT_EQ(both.tasks[1].own, Positions{0});
  const auto mixed = views(with_first_divided(), slurm_gives("1,2", "MIG-2,GPU-bbbb"), 2);
  EXPECT_EQ(mixed.seen, option::Gpus::own);
}

TEST(MigGrant, IsSharedIfThereIsOneInstanceOrOneTask) {
  const auto one_task = views(with_first_divided(), slurm_gives("0,1", "MIG-1,MIG-2"), 1);
  EXPECT_EQ(one_task.tasks[0].variables[0].value, "MIG-1,MIG-2");
  EXPECT_EQ(one_task.seen, option::Gpus::shared);
  EXPECT_EQ(views(with_first_divided(), slurm_gives("0", "MIG-1"), 2).seen, option::Gpus::shared);
  EXPECT_EQ(views(two_gpus(), slurm_gives("0,1", "GPU-aaaa,GPU-bbbb"), 2).seen,
            option::Gpus::shared);
}

TEST(MigGrant, OfAnOlderDriverIsBesideTheGpuThatItsNameHolds) {
  auto topology = two_gpus();
  const auto grant = slurm_gives("0,1", "MIG-GPU-bbbb/1/0,MIG-GPU-bbbb/2/0");
  const auto found = find_gpus(topology, grant);
  ASSERT_EQ(found, (Positions{2, 3}));
  for (const auto gpu : found) EXPECT_EQ(topology.gpus[gpu].at.cpus, CpuSet::range(0, 3));
  EXPECT_NE(topology.gpus[2].partition, topology.gpus[3].partition);
  EXPECT_EQ(shown(topology, grant, found), "MIG-GPU-bbbb/1/0");
}

TEST(MigGrant, ThatNobodyKnowsHasNoPlace) {
  auto topology = two_gpus();
  const auto found = find_gpus(topology, slurm_gives("0,1", "MIG-9,GPU-aaaa"));
  ASSERT_EQ(found, (Positions{2, 3}));
  EXPECT_FALSE(on_pci(topology.gpus[2]));
}

TEST(AllGpus, AreTheNodesInTheirOrder) {
  const auto grant = grant_of_all(two_gpus(), {});
  EXPECT_EQ(grant.ids, (Texts{"0", "1"}));
  EXPECT_EQ(grant.variables, (Texts{"CUDA_VISIBLE_DEVICES"}));
  auto amd = two_gpus();
  for (auto& gpu : amd.gpus) gpu.vendor = topology::GpuVendor::amd;
  EXPECT_EQ(grant_of_all(amd, {}).variables, (Texts{"ROCR_VISIBLE_DEVICES"}));
}

TEST(AllGpus, AreThoseOfTheUsersOwnList) {
  auto topology = two_gpus();
  const auto grant = grant_of_all(topology, {{"CUDA_VISIBLE_DEVICES", "1"}});
  EXPECT_EQ(find_gpus(topology, grant), Positions{1});
  const auto by_uuid = grant_of_all(topology, {{"CUDA_VISIBLE_DEVICES", "GPU-bbbb,GPU-aaaa"}});
  EXPECT_EQ(find_gpus(topology, by_uuid), (Positions{1, 0}));
}

TEST(AllGpus, AreThoseInTheListOfTheVendorsOwnVariable) {
  const Environment both{{"CUDA_VISIBLE_DEVICES", "0"}, {"ROCR_VISIBLE_DEVICES", "1"}};
  auto amd = two_gpus();
  for (auto& gpu : amd.gpus) gpu.vendor = topology::GpuVendor::amd;
  EXPECT_EQ(grant_of_all(two_gpus(), both).visible, Texts{"0"});
  EXPECT_EQ(grant_of_all(amd, both).visible, Texts{"1"});
}

TEST(AllGpus, AreNoneWhereTheUserHidesThem) {
  EXPECT_TRUE(grant_of_all(two_gpus(), {{"CUDA_VISIBLE_DEVICES", ""}}).empty());
  EXPECT_TRUE(grant_of_all(two_gpus(), {{"CUDA_VISIBLE_DEVICES", "-1"}}).empty());
  EXPECT_TRUE(grant_of_all({}, {}).empty());
}

TEST(AllGpus, AreNoneWhereTwoVendorsCount) {
  auto mixed = two_gpus();
  mixed.gpus[1].vendor = topology::GpuVendor::amd;
  EXPECT_TRUE(grant_of_all(mixed, {}).empty());
}

TEST(AllGpus, NameMigInstancesByUuid) {
  EXPECT_EQ(grant_of_all(with_first_divided(), {}).visible, (Texts{"MIG-1", "MIG-2", "1"}));
}

// CUDA reads a list only up to the first name of another kind.
TEST(AllGpus, AreShownByUuidsAloneIfOneIsDivided) {
  auto topology = with_first_divided();
  const auto grant = grant_of_all(topology, {});
  const auto positions = find_gpus(topology, grant);
  EXPECT_EQ(shown(topology, grant, positions, 1), "MIG-2");
  EXPECT_EQ(shown(topology, grant, positions, 2), "GPU-bbbb");
}

}  // namespace
}  // namespace muster::resources
