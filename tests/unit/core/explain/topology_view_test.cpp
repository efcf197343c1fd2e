// A node's hardware as people and programs see it.
#include "core/explain/topology_view.hpp"

#include "core/explain/connection.hpp"
#include "fixtures/made_up_node.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::explain {
namespace {

// Two packages of two cores with two threads; a GPU and a NIC behind one switch in each.
TopologyView example_view() {
  TopologyView view{.node = "node1", .source = "this machine"};
  view.topology = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 2, .smt = 2});
  const auto first = view.topology.packages[0].cpus;
  const auto second = view.topology.packages[1].cpus;
  fixtures::add_gpu(view.topology, first, 0x10);
  fixtures::add_gpu(view.topology, second, 0x90);
  fixtures::add_nic(view.topology, "mlx5_0", first, 0x10);
  fixtures::add_nic(view.topology, "mlx5_1", {}, 0xa0);
  view.topology.nics[1].at = {};
  view.topology.nics[0].up = true;
  view.topology.nics[0].infiniband = true;
  view.topology.nics[0].gigabits = 400;
  view.topology.nics[0].networks = {"ib0"};
  view.topology.gpus[0].uuid = "GPU-1234";
  return view;
}

std::string table(const TopologyView& view) {
  return to_table(view, {});
}

TEST(TopologyTable, ShowsPartsAndDevicesAndHowTheyAreConnected) {
  EXPECT_EQ(table(example_view()),
            R"(node1: 2 packages, 2 NUMA nodes, 2 L3 groups, 4 cores, 8 CPUs, 2 GPUs, 2 NICs
from this machine

  NUMA  package  L3  cores  CPUs
  0     0        1   2      0-1,4-5
  1     1        1   2      2-3,6-7

  GPU  vendor  bus id        UUID      NUMA  near CPUs
  0    nvidia  0010:02:00.0  GPU-1234  0     0-1,4-5
  1    nvidia  0090:02:00.0            1     2-3,6-7

  NIC     interfaces  bus id        RDMA  link        port  Gb/s  NUMA  near CPUs
  mlx5_0  ib0         0010:03:00.0  yes   InfiniBand  up    400   0     0-1,4-5
  mlx5_1              00a0:03:00.0  yes                                 not known

          GPU0  GPU1
  GPU0    X     SYS
  GPU1    SYS   X
  mlx5_0  PIX   SYS
  mlx5_1  -     -

  PIX   below one PCIe switch
  SYS   across packages
)");
}

TEST(TopologyTable, SaysWhatATaskMayUse) {
  auto view = example_view();
  view.allowed = {"task 3 of step 12.0", CpuSet{0, 4}, {1}};
  const auto text = table(view);
  EXPECT_NE(text.find("task 3 of step 12.0: CPUs 0,4 (1 core), GPUs 1\n"), text.npos) << text;
  EXPECT_NE(text.find("  0     0        1   2      0-1,4-5  0,4\n"), text.npos) << text;
  EXPECT_NE(text.find("  1     1        1   2      2-3,6-7  none\n"), text.npos) << text;
  EXPECT_NE(text.find("0    nvidia  0010:02:00.0  no "), text.npos) << text;
  EXPECT_NE(text.find("1    nvidia  0090:02:00.0  yes "), text.npos) << text;
}

TEST(TopologyTable, MarksMemoryWithoutProcessors) {
  auto view = example_view();
  view.topology.numa_nodes.push_back({2, {}, true});
  view.topology.numa_nodes.push_back({3, CpuSet{0, 1, 4, 5}, true});
  const auto text = table(view);
  EXPECT_NE(text.find("  2                  0      none: memory only\n"), text.npos) << text;
  EXPECT_NE(text.find("  3     0            0      none: memory only, near CPUs 0-1,4-5\n"),
            text.npos)
      << text;
}

TEST(TopologyTable, ListsL3GroupsOnlyWhereTheyAreSmallerThanMemoryNodes) {
  auto view = example_view();
  EXPECT_EQ(table(view).find("\n  L3 "), std::string::npos);
  view.topology = fixtures::made_up_node({.l3_per_numa = 2, .cores_per_l3 = 2});
  EXPECT_NE(table(view).find("\n  L3  NUMA  cores  CPUs\n  0   0     2      0-1\n"),
            std::string::npos)
      << table(view);
}

TEST(TopologyTable, ListsPackagesOnlyWhereTheyAreNotNumaNodes) {
  auto view = example_view();
  view.topology = fixtures::made_up_node({.packages = 1, .numa_per_package = 2});
  EXPECT_NE(
      table(view).find("\n  package  NUMA  L3  cores  CPUs\n  0        0-1   2   8      0-7\n"),
      std::string::npos)
      << table(view);
}

TEST(TopologyTable, TellsPartitionsOfOneAddressApart) {
  auto view = example_view();
  EXPECT_EQ(table(view).find("partition"), std::string::npos);
  view.topology.gpus[1].address = view.topology.gpus[0].address;
  view.topology.gpus[1].partition = 1;
  EXPECT_NE(table(view).find("partition"), std::string::npos);
}

TEST(TopologyTable, IsColouredOnlyOnRequestAndShowsNoControlCharacters) {
  auto view = example_view();
  view.topology.nics[0].name = "mlx\033[31m";
  EXPECT_EQ(to_table(view, {false}).find('\033'), std::string::npos);
  EXPECT_NE(to_table(view, {true}).find("\033[1m"), std::string::npos);
}

TEST(TopologyTable, OfAMachineWithNothingButCpusIsShort) {
  TopologyView view{.node = "", .source = "cpus.xml"};
  view.topology.pus = {0, 1};
  view.topology.cores = {{{0}, {}, {}, {}}, {{1}, {}, {}, {}}};
  EXPECT_EQ(table(view), "cpus.xml: 2 cores, 2 CPUs\n");
}

TEST(Relation, CountsNvlinksFromTheirBandwidth) {
  auto topology = example_view().topology;
  topology.gpu_links = {{0, 1, 450000}};
  EXPECT_EQ(gpu_connection(topology, 0, 1), "NV18");
  EXPECT_EQ(gpu_connection(topology, 1, 0), "NV18");
  topology.gpu_links = {{0, 1, 40000}};
  EXPECT_EQ(gpu_connection(topology, 0, 1), "NV2");
  topology.gpu_links = {{0, 1, 7}};
  EXPECT_EQ(gpu_connection(topology, 0, 1), "NV");
  for (auto& gpu : topology.gpus) gpu.vendor = topology::GpuVendor::amd;
  EXPECT_EQ(gpu_connection(topology, 0, 1), "XGMI");
  EXPECT_EQ(linked_gpus(topology, 1), std::vector<std::size_t>{0});
}

TEST(Relation, NamesGpusByVendorWhereThereAreSeveral) {
  auto topology = example_view().topology;
  EXPECT_EQ(gpu_name(topology, topology.gpus[1]), "GPU1");
  topology.gpus[0].vendor = topology::GpuVendor::intel;
  EXPECT_EQ(gpu_name(topology, topology.gpus[1]), "nvidia1");
}

TEST(TopologyJson, IsVersion1) {
  auto view = example_view();
  view.allowed = {"task 3 of step 12.0", CpuSet{0, 4}, {1}};
  const auto json = nlohmann::json::parse(to_json(view));
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("node"), "node1");
  EXPECT_EQ(json.at("cpus"), "0-7");
  EXPECT_EQ(
      json.at("allowed"),
      nlohmann::json::parse(R"({"whose": "task 3 of step 12.0", "cpus": "0,4", "gpus": [1]})"));
  EXPECT_EQ(json.at("numa").at(1),
            nlohmann::json::parse(R"({"index": 1, "cpus": "2-3,6-7", "memory_only": false})"));
  EXPECT_EQ(json.at("cores").at(3),
            nlohmann::json::parse(R"({"cpus": "3,7", "package": 1, "numa": 1, "l3": 1})"));
  EXPECT_EQ(json.at("gpus").at(0), nlohmann::json::parse(R"({"vendor": "nvidia", "index": 0,
    "busid": "0010:02:00.0", "partition": 0, "uuid": "GPU-1234", "cpus": "0-1,4-5", "numa": "0"})"));
  EXPECT_EQ(json.at("nics").at(0), nlohmann::json::parse(R"({"name": "mlx5_0",
    "interfaces": ["ib0"], "busid": "0010:03:00.0", "rdma": true, "up": true, "infiniband": true,
    "gigabits": 400.0, "cpus": "0-1,4-5", "numa": "0"})"));
  EXPECT_EQ(json.at("relations").at("gpus"),
            nlohmann::json::parse(R"([["X", "SYS"], ["SYS", "X"]])"));
  EXPECT_EQ(json.at("relations").at("nics"),
            nlohmann::json::parse(R"([["PIX", "SYS"], [null, null]])"));
}

TEST(TopologyJson, IsValidWhateverADeviceIsCalled) {
  auto view = example_view();
  view.topology.nics[0].name = "\xff\x01\"";
  EXPECT_NO_THROW(nlohmann::json::parse(to_json(view)));
}

}  // namespace
}  // namespace muster::explain
