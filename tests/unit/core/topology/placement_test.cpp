// Devices are placed where better-informed sources say they are.
#include "core/topology/placement.hpp"

#include "core/binding/devices/distance.hpp"
#include "fixtures/made_up_node.hpp"

#include <gtest/gtest.h>

namespace muster::topology {
namespace {

// Two memory nodes with two cores each; a GPU and two NICs about which PCI says nothing.
Topology blind_node() {
  auto node = fixtures::made_up_node(
      {.packages = 2, .numa_per_package = 1, .l3_per_numa = 1, .cores_per_l3 = 2, .smt = 1});
  fixtures::add_gpu(node, {}, 1);
  fixtures::add_nic(node, "mlx5_0", {}, 2);
  fixtures::add_nic(node, "mlx5_1", {}, 3);
  for (auto& nic : node.nics) nic.at.buses = {{9, 9}};
  node.gpus[0].at.buses = {{9, 9}};
  return node;
}

DeviceLocation place(const PciAddress& address, unsigned numa, const CpuSet& affinity,
                     std::uint8_t bus) {
  return {
      .address = address, .numa = numa, .affinity = affinity, .buses = {{1000, 0}, {1000, bus}}};
}

TEST(Placement, TakesTheCpusOfTheNodesOwnMemoryNode) {
  const auto node = blind_node();
  const auto placed = with_places(node, {place(node.gpus[0].address, 1, {0}, 1)}, "f");
  EXPECT_EQ(placed.topology.gpus[0].at.cpus, CpuSet::range(2, 3));
  EXPECT_TRUE(placed.warnings.empty());
}

TEST(Placement, TakesTheMaskWhereTheNodeLacksThatMemoryNode) {
  const auto node = blind_node();
  const auto placed = with_places(node, {place(node.gpus[0].address, 5, {1, 77}, 1)}, "f");
  EXPECT_EQ(placed.topology.gpus[0].at.cpus, CpuSet{1});
  EXPECT_TRUE(placed.warnings.empty());
}

TEST(Placement, SaysThatAPlaceIsNotOnThisNode) {
  const auto node = blind_node();
  const auto placed = with_places(node, {place(node.gpus[0].address, 5, {77}, 1)}, "f.xml");
  EXPECT_TRUE(placed.topology.gpus[0].at.cpus.empty());
  ASSERT_EQ(placed.warnings.size(), 1U);
  EXPECT_NE(placed.warnings[0].find("f.xml"), std::string::npos);
}

TEST(Placement, BringsAGpuNearTheNicBehindItsSwitch) {
  const auto node = blind_node();
  const auto placed =
      with_places(node,
                  {place(node.gpus[0].address, 0, {}, 1), place(node.nics[0].address, 0, {}, 2),
                   place(node.nics[1].address, 0, {}, 1)},
                  "f")
          .topology;
  const auto to = [&](std::size_t nic) {
    return binding::devices::distance(placed, placed.gpus[0].at, placed.nics[nic].at).path;
  };
  EXPECT_EQ(to(1), binding::devices::Path::pix);
  EXPECT_EQ(to(0), binding::devices::Path::phb);
}

TEST(Placement, IsLackingOnlyWhereADeviceOfTheFileHasNone) {
  auto node = blind_node();
  const std::vector places{place(node.gpus[0].address, 0, {}, 1)};
  EXPECT_TRUE(lacks_locations(node, places));
  node.gpus[0].at.cpus = node.pus;  // all CPUs of two memory nodes
  EXPECT_TRUE(lacks_locations(node, places));
  node.gpus[0].at.cpus = {0};
  EXPECT_FALSE(lacks_locations(node, places));
  EXPECT_FALSE(lacks_locations(blind_node(), {place({0, 99, 0, 0}, 0, {}, 1)}));
}

MappedDevice gpu_at(const std::string& name, const CpuSet& cpus, std::vector<std::string> nics) {
  return {.is_nic = false, .name = name, .cpus = cpus, .nics = std::move(nics), .where = "f:1:1"};
}

TEST(SiteMap, GivesAGpuItsCpusAndItsNic) {
  const auto placed = with_map(blind_node(), {gpu_at("0", {2, 3}, {"mlx5_1"})}).topology;
  EXPECT_EQ(placed.gpus[0].at.cpus, CpuSet::range(2, 3));
  EXPECT_EQ(binding::devices::distance(placed, placed.gpus[0].at, placed.nics[1].at).path,
            binding::devices::Path::pix);
  EXPECT_EQ(placed.nics[1].at.cpus, CpuSet::range(2, 3));
  EXPECT_NE(binding::devices::distance(placed, placed.gpus[0].at, placed.nics[0].at).path,
            binding::devices::Path::pix);
}

TEST(SiteMap, LetsTwoGpusShareANic) {
  auto node = blind_node();
  fixtures::add_gpu(node, {}, 4);
  const auto placed =
      with_map(node, {gpu_at("0", {0}, {"mlx5_0"}), gpu_at("1", {0}, {"mlx5_0"})}).topology;
  for (const auto& gpu : placed.gpus)
    EXPECT_EQ(binding::devices::distance(placed, gpu.at, placed.nics[0].at).path,
              binding::devices::Path::pix);
}

TEST(SiteMap, NamesTheLineOfADeviceThatIsNotThere) {
  const auto placed = with_map(blind_node(), {gpu_at("7", {0}, {}), gpu_at("0", {1}, {"nope"})});
  ASSERT_EQ(placed.warnings.size(), 2U);
  EXPECT_EQ(placed.warnings[0].substr(0, 5), "f:1:1");
  EXPECT_NE(placed.warnings[1].find("nope"), std::string::npos);
  EXPECT_TRUE(placed.topology.gpus[0].at.cpus.empty()) << "half a line was applied";
}

}  // namespace
}  // namespace muster::topology
