// Divided GPUs: MIG instances and AMD's partitions, each a separate device at one address.
#include "core/topology/gpu_partitions.hpp"

#include "core/topology/gpu_names.hpp"
#include "fixtures/made_up_node.hpp"
#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

namespace muster::topology {
namespace {

Topology two_gpus(GpuVendor vendor) {
  auto node = fixtures::made_up_node({.cores_per_l3 = 8});
  fixtures::add_gpu(node, {0, 1}, 1);
  fixtures::add_gpu(node, {2, 3}, 2);
  for (auto& gpu : node.gpus) gpu.vendor = vendor;
  node.gpu_links.push_back({0, 1, 9});
  return node;
}

TEST(Mig, PutsEachInstanceBesideItsParentsCpus) {
  const auto node = two_gpus(GpuVendor::nvidia);
  const auto divided = with_mig(node, {{node.gpus[0].address, {"MIG-a", "MIG-b"}}});
  ASSERT_EQ(divided.gpus.size(), 3U);
  EXPECT_EQ(divided.gpus[0].uuid, "MIG-a");
  EXPECT_EQ(divided.gpus[1].uuid, "MIG-b");
  EXPECT_EQ(divided.gpus[1].partition, 1U);
  EXPECT_EQ(divided.gpus[1].at, node.gpus[0].at);
  EXPECT_EQ(divided.gpus[2], node.gpus[1]);
  EXPECT_EQ(divided.gpu_links, (std::vector<GpuLink>{{0, 2, 9}}));
}

TEST(Mig, AnIndexStandsForAllInstancesOfThatGpu) {
  const auto node = two_gpus(GpuVendor::nvidia);
  const auto divided = with_mig(node, {{node.gpus[0].address, {"MIG-a", "MIG-b"}}});
  EXPECT_EQ(gpus_named(divided, "0"), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(gpus_named(divided, "MIG-b,1"), (std::vector<std::size_t>{1, 2}));
}

class Kfd : public testing::Test {
 protected:
  void add_node(unsigned simd_count, unsigned domain, unsigned location, std::uint64_t unique_id) {
    const auto directory = std::filesystem::path(root_.path("sys/class/kfd/kfd/topology/nodes")) /
                           std::to_string(count_++);
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "properties")
        << "cpu_cores_count 0\nsimd_count " << simd_count << "\nlocation_id " << location
        << "\ndomain " << domain << "\nunique_id " << unique_id << "\n";
  }

  fixtures::ScratchDirectory root_;
  unsigned count_ = 0;
};

// made_up_node's GPUs use BUS as the domain: 0001:02:00.0 and 0002:02:00.0.
TEST_F(Kfd, NumbersPartitionsAsTheRuntimeDoes) {
  const auto node = two_gpus(GpuVendor::amd);
  add_node(0, 0, 0, 0);
  for (unsigned part = 0; part < 3; ++part) add_node(100, 1, 0x200U | part << 28U, 16 + part);
  for (unsigned part = 0; part < 3; ++part) add_node(100, 2, 0x200U | part << 28U, 32 + part);
  const auto divided = with_kfd_partitions(node, root_.path());
  ASSERT_EQ(divided.gpus.size(), 6U);
  for (unsigned i = 0; i < 6; ++i) {
    EXPECT_EQ(divided.gpus[i].index, i);
    EXPECT_EQ(divided.gpus[i].partition, i % 3);
    EXPECT_EQ(divided.gpus[i].at, node.gpus[i / 3].at);
  }
  EXPECT_EQ(divided.gpus[4].uuid, "0000000000000021");
  EXPECT_EQ(divided.gpu_links, (std::vector<GpuLink>{{0, 3, 9}}));
}

TEST_F(Kfd, LeavesWholeGpusAsTheyWereFound) {
  const auto node = two_gpus(GpuVendor::amd);
  add_node(100, 2, 0x200, 1);
  add_node(100, 1, 0x200, 2);
  EXPECT_EQ(with_kfd_partitions(node, root_.path()), node);
}

TEST_F(Kfd, IsNotAskedWhereTheStepMaySeeOnlyAPart) {
  const auto node = two_gpus(GpuVendor::amd);
  add_node(100, 1, 0x200, 1);
  add_node(100, 1, 0x10000200, 2);
  root_.write("sys/class/kfd/kfd/topology/nodes/1/properties", "");
  EXPECT_EQ(with_kfd_partitions(node, root_.path()), node);
}

TEST_F(Kfd, IsNotAskedAboutOtherVendorsGpus) {
  const auto node = two_gpus(GpuVendor::nvidia);
  add_node(100, 1, 0x200, 1);
  add_node(100, 1, 0x10000200, 2);
  EXPECT_EQ(with_kfd_partitions(node, root_.path()), node);
}

}  // namespace
}  // namespace muster::topology
