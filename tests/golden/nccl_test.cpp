// NCCL topology files that cloud providers ship, on nodes whose PCI tree contains no useful information.
#include "captures.hpp"
#include "core/binding/devices/distance.hpp"
#include "core/topology/nccl_file.hpp"
#include "fixtures/made_up_node.hpp"

#include <fstream>
#include <iterator>

namespace muster::golden {
namespace {

// As the guest sees itself: memory nodes with their CPUs, and devices at unknown places.
topology::Topology blind_guest(unsigned packages, unsigned numa_per_package, unsigned cores) {
  return fixtures::made_up_node({.packages = packages,
                                 .numa_per_package = numa_per_package,
                                 .l3_per_numa = 1,
                                 .cores_per_l3 = cores,
                                 .smt = 1});
}

void add_blind_gpu(topology::Topology& node, const std::string& address) {
  fixtures::add_gpu(node, {}, 0);
  node.gpus.back().address = topology::PciAddress::parse(address);
  node.gpus.back().at = {};
}

void add_blind_nic(topology::Topology& node, const std::string& address) {
  fixtures::add_nic(node, address, {}, 0);
  node.nics.back().address = topology::PciAddress::parse(address);
  node.nics.back().at = {};
}

topology::Topology placed(const topology::Topology& node, const std::string& capture) {
  std::ifstream file(captures_directory().value() / (capture + ".xml"));
  const std::string xml(std::istreambuf_iterator<char>(file), {});
  const auto result = with_places(node, topology::parse_nccl_topology(xml, capture), capture);
  EXPECT_TRUE(result.warnings.empty());
  return result.topology;
}

std::string numa_of(const topology::Topology& node, std::size_t gpu) {
  return numa_nodes_of(node, node.gpus[gpu].at.cpus).to_string();
}

std::vector<std::string> behind_the_same_switch(const topology::Topology& node, std::size_t gpu) {
  std::vector<std::string> names;
  for (const auto& nic : node.nics)
    if (binding::devices::distance(node, node.gpus[gpu].at, nic.at).path ==
        binding::devices::Path::pix)
      names.push_back(nic.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(NdV4, HasTwoGpusAndTwoNicsBesideEachMemoryNode) {
  MUSTER_REQUIRE_CAPTURE("nccl-format/ndv4-topo");
  auto node = blind_guest(2, 2, 24);
  for (const char* gpu : {"0001", "0002", "0003", "0004", "000b", "000c", "000d", "000e"})
    add_blind_gpu(node, std::string(gpu) + ":00:00.0");
  for (int nic = 1; nic <= 8; ++nic) add_blind_nic(node, "010" + std::to_string(nic) + ":00:00.0");
  node = placed(node, "nccl-format/ndv4-topo");
  const Names numa{"1", "1", "0", "0", "3", "3", "2", "2"};
  for (std::size_t gpu = 0; gpu < 8; ++gpu) EXPECT_EQ(numa_of(node, gpu), numa[gpu]) << gpu;
  EXPECT_EQ(behind_the_same_switch(node, 0), (Names{"0101:00:00.0", "0102:00:00.0"}));
  EXPECT_EQ(behind_the_same_switch(node, 7), (Names{"0107:00:00.0", "0108:00:00.0"}));
}

TEST(P4d, HasANicBehindTheSwitchOfEachTwoGpus) {
  MUSTER_REQUIRE_CAPTURE("nccl-format/p4d-24xl-topo");
  auto node = blind_guest(2, 1, 24);
  for (const char* bus : {"10", "20", "90", "a0"}) {
    add_blind_gpu(node, std::string("0000:") + bus + ":1c.0");
    add_blind_gpu(node, std::string("0000:") + bus + ":1d.0");
    add_blind_nic(node, std::string("0000:") + bus + ":1b.0");
  }
  node = placed(node, "nccl-format/p4d-24xl-topo");
  for (std::size_t gpu = 0; gpu < 8; ++gpu) {
    EXPECT_EQ(numa_of(node, gpu), gpu < 4 ? "0" : "1") << gpu;
    EXPECT_EQ(behind_the_same_switch(node, gpu), Names{node.nics[gpu / 2].name}) << gpu;
  }
}

}  // namespace
}  // namespace muster::golden
