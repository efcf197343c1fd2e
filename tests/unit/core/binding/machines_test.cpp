// Machines that we know but have no capture of, reconstructed from what their vendors and users publish, and
// unusual ones. The answers are written by hand.
#include "core/binding/binding.hpp"
#include "core/topology/hwloc/load.hpp"
#include "fixtures/grace_xml.hpp"
#include "fixtures/machine_xml.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::binding {
namespace {

using Lists = std::vector<std::string>;
using Roots = std::vector<fixtures::PciRoot>;

struct Machine {
  topology::Topology node;
  BindingRequest request;

  explicit Machine(const std::string& xml)
      : node(topology::hwloc::parse_xml_topology(xml, "made up")) {
    request.allowed = node.pus;
    for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) request.gpus.push_back(gpu);
    request.tasks = std::max<std::size_t>(1, node.gpus.size());
  }
  Machine(const std::string& description, const Roots& roots)
      : Machine(machine_xml(description, roots)) {}

  BindingPlan plan() const { return bind(node, request); }

  Lists cpus() const {
    Lists lists;
    for (const auto& task : plan().tasks) lists.push_back(task.cpus.to_string());
    return lists;
  }
  Lists numa() const {
    Lists lists;
    for (const auto& task : plan().tasks) lists.push_back(task.numa.to_string());
    return lists;
  }
  std::vector<Lists> nics() const {
    std::vector<Lists> all;
    for (const auto& task : plan().tasks) {
      all.emplace_back();
      for (const auto nic : task.nics) all.back().push_back(node.nics[nic].name);
    }
    return all;
  }
};

// JUPITER, Alps: apps.fz-juelich.de/jsc/hps/jedi/affinity.html.
TEST(QuadGh200, GivesEachRankTheCpuOfItsSuperchip) {
  const Machine machine(grace_xml(fixtures::gh200(4)));
  EXPECT_EQ(machine.cpus(), (Lists{"0-71", "72-143", "144-215", "216-287"}));
  EXPECT_EQ(machine.numa(), (Lists{"0", "1", "2", "3"}));
  EXPECT_EQ(machine.nics(), (std::vector<Lists>{{"mlx5_0"}, {"mlx5_1"}, {"mlx5_2"}, {"mlx5_3"}}));
}

// Vista: hwloc attaches the devices of a single CPU to the machine itself.
TEST(SingleGh200, HasItsGpuNearItsOnlyCpu) {
  Machine machine(grace_xml(fixtures::gh200(1)));
  EXPECT_EQ(machine.cpus(), Lists{"0-71"});
  EXPECT_EQ(machine.numa(), Lists{"0"});
  EXPECT_EQ(machine.plan().warnings, Lists{});
  machine.request.tasks = 2;
  EXPECT_EQ(machine.cpus(), (Lists{"0-35", "36-71"}));
}

// github.com/ishandhanani/srt-slurm issue 164: GPUs 0,1 near 0-71, GPUs 2,3 near 72-143. The NICs of a CPU are
// equally near to both of its GPUs, because each device has a PCI domain of its own.
TEST(Gb200Tray, GivesEachPairOfRanksItsGrace) {
  const Machine machine(grace_xml(fixtures::gb200_tray()));
  EXPECT_EQ(machine.cpus(), (Lists{"0-35", "36-71", "72-107", "108-143"}));
  EXPECT_EQ(machine.numa(), (Lists{"0", "0", "1", "1"}));
  EXPECT_EQ(
      machine.nics(),
      (std::vector<Lists>{
          {"mlx5_0", "mlx5_1"}, {"mlx5_1", "mlx5_0"}, {"mlx5_2", "mlx5_3"}, {"mlx5_3", "mlx5_2"}}));
}

TEST(GraceMachines, HaveNoPlaceForTasksInTheMemoryOfTheirGpus) {
  for (const bool is_marked : {true, false})
    for (auto grace : {fixtures::gh200(1), fixtures::gh200(4), fixtures::gb200_tray()}) {
      grace.memory_is_marked = is_marked;
      Machine machine(grace_xml(grace));
      CpuSet used;
      for (const auto policy :
           {option::Bind::auto_, option::Bind::numa, option::Bind::socket, option::Bind::l3}) {
        machine.request.policy = policy;
        for (machine.request.tasks = 1; machine.request.tasks <= 9; ++machine.request.tasks)
          for (const auto& task : machine.plan().tasks) used |= task.numa;
      }
      EXPECT_EQ(used.count(), grace.cpus) << "marked: " << is_marked;
      EXPECT_EQ(used.to_string(), grace.cpus == 1 ? "0" : "0-" + std::to_string(grace.cpus - 1));
    }
}

// github.com/sgl-project/sglang issue 40055: 0,1 on 0; 2,3 on 2; 4,5 on 3; 6,7 on 5.
TEST(B200WithSixNumaNodes, LeavesThoseWithoutGpusAlone) {
  Roots roots;
  for (const unsigned numa : {0U, 2U, 3U, 5U})
    roots.push_back(
        {"NUMANode", numa, static_cast<std::uint8_t>(32 * numa + 1), {"nvidia", "nvidia"}});
  const Machine machine("pack:2 numa:3 core:16 pu:1", roots);
  EXPECT_EQ(machine.numa(), (Lists{"0", "0", "2", "2", "3", "3", "5", "5"}));
  EXPECT_EQ(machine.cpus(),
            (Lists{"0-7", "8-15", "32-39", "40-47", "48-55", "56-63", "80-87", "88-95"}));
}

// apps.fz-juelich.de/jsc/hps/juwels/booster-overview.html, co-design.pop-coe.eu/experiments/
// gpu-affinity: GPUs near NUMA nodes 3, 1, 7, 5, each with a NIC.
TEST(JuwelsBooster, PutsRanksOnNuma3175) {
  Roots roots;
  for (const unsigned numa : {3U, 1U, 7U, 5U}) {
    const unsigned gpu = static_cast<unsigned>(roots.size());
    roots.push_back({"NUMANode",
                     numa,
                     static_cast<std::uint8_t>(64 * gpu),
                     {"nvidia", "mlx5_" + std::to_string(gpu)}});
  }
  const Machine machine("pack:2 numa:4 core:6 pu:2", roots);
  EXPECT_EQ(machine.numa(), (Lists{"3", "1", "7", "5"}));
  EXPECT_EQ(machine.nics(), (std::vector<Lists>{{"mlx5_0"}, {"mlx5_1"}, {"mlx5_2"}, {"mlx5_3"}}));
}

TEST(XeonWithSubNumaClusters, KeepsRanksInTheirGpusCluster) {
  Roots roots;
  for (const unsigned numa : {0U, 1U, 2U, 3U})
    roots.push_back({"NUMANode", numa, static_cast<std::uint8_t>(32 * numa + 1), {"nvidia"}});
  const Machine machine("pack:2 l3:1 numa:2 core:14 pu:2", roots);
  EXPECT_EQ(machine.cpus(), (Lists{"0-27", "28-55", "56-83", "84-111"}));
  EXPECT_EQ(machine.numa(), (Lists{"0", "1", "2", "3"}));
}

TEST(EpycWithOneNumaNodePerSocket, SharesTheSocketAlongItsL3Groups) {
  Roots roots;
  for (unsigned i = 0; i < 4; ++i)
    roots.push_back({"Package", i / 2, static_cast<std::uint8_t>(32 * i), {"nvidia"}});
  const Machine machine("pack:2 [numa] l3:4 core:4 pu:1", roots);
  EXPECT_EQ(machine.cpus(), (Lists{"0-7", "8-15", "16-23", "24-31"}));
}

TEST(HighBandwidthMemory, BesideEachNodesOwnIsNoPlaceForTasks) {
  Machine machine("pack:2 [numa] [numa(memory=64GB)] core:8 pu:1", Roots{});
  machine.request.tasks = 4;
  EXPECT_EQ(machine.cpus(), (Lists{"0-3", "4-7", "8-11", "12-15"}));
  EXPECT_EQ(machine.numa(), (Lists{"0", "0", "2", "2"}));
  machine.request.policy = option::Bind::numa;
  machine.request.tasks = 2;
  EXPECT_EQ(machine.cpus(), (Lists{"0-7", "8-15"}));
}

TEST(AMachineWithoutPackagesOrL3, IsPlannedByItsNumaNodes) {
  const Machine machine("numa:4 core:8 pu:1", {{"NUMANode", 2, 1, {"nvidia"}}});
  EXPECT_EQ(machine.cpus(), Lists{"16-23"});
  EXPECT_TRUE(machine.plan().warnings.empty());
}

TEST(AGpuBesideAGroup, IsBesideTheCpusOfTheGroup) {
  const Machine machine("pack:1 group:4 core:4 pu:1",
                        {{"Group", 2, 1, {"nvidia", "mlx5_0"}}, {"Group", 0, 32, {"nvidia"}}});
  EXPECT_EQ(machine.cpus(), (Lists{"8-11", "0-3"}));
  EXPECT_EQ(machine.nics(), (std::vector<Lists>{{"mlx5_0"}, {"mlx5_0"}}));
}

TEST(SevenTasksOnFourNumaNodes, DifferByOneCoreAtMost) {
  Machine machine("pack:2 numa:2 core:16 pu:1", Roots{});
  machine.request.tasks = 7;
  EXPECT_EQ(machine.cpus(), (Lists{"0-9", "10-18", "19-27", "28-36", "37-45", "46-54", "55-63"}));
}

TEST(FourNicsForEightGpus, ServeTheTwoThatAreBehindTheirSwitch) {
  Roots roots;
  for (unsigned i = 0; i < 4; ++i)
    roots.push_back({"Package",
                     i / 2,
                     static_cast<std::uint8_t>(32 * i),
                     {"nvidia", "nvidia", "mlx5_" + std::to_string(i)}});
  const Machine machine("pack:2 [numa] core:8 pu:1", roots);
  EXPECT_EQ(machine.nics(), (std::vector<Lists>{{"mlx5_0"},
                                                {"mlx5_0"},
                                                {"mlx5_1"},
                                                {"mlx5_1"},
                                                {"mlx5_2"},
                                                {"mlx5_2"},
                                                {"mlx5_3"},
                                                {"mlx5_3"}}));
}

TEST(TwoNicsBehindOneSwitch, AreBegunWithInTurnByItsTwoGpus) {
  const Machine machine("pack:1 [numa] core:8 pu:1",
                        {{"Package", 0, 1, {"nvidia", "nvidia", "mlx5_0", "mlx5_1"}}});
  EXPECT_EQ(machine.nics(), (std::vector<Lists>{{"mlx5_0", "mlx5_1"}, {"mlx5_1", "mlx5_0"}}));
}

TEST(EfaAndSlingshot, CountAsRdmaAndEthernetDoesNot) {
  const Machine efa("pack:1 [numa] core:4 pu:1",
                    {{"Package", 0, 1, {"nvidia", "rdmap0s6", "eth0"}}});
  EXPECT_EQ(efa.nics(), (std::vector<Lists>{{"rdmap0s6"}}));
  const Machine slingshot("pack:2 [numa] core:4 pu:1",
                          {{"Package", 1, 32, {"amd", "hsi0"}}, {"Package", 1, 64, {"eth1"}}});
  EXPECT_EQ(slingshot.nics(), (std::vector<Lists>{{"hsi0"}}));
}

TEST(AGpuBesideNothing, IsNamedAndItsTaskIsPlacedAsWithoutGpu) {
  const Machine machine("pack:2 [numa] core:4 pu:1",
                        {{"Machine", 0, 1, {"nvidia"}}, {"Package", 1, 32, {"nvidia"}}});
  const auto plan = machine.plan();
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_NE(plan.warnings[0].find("0000:03:00.0"), std::string::npos);
  EXPECT_EQ(machine.cpus(), (Lists{"0-3", "4-7"}));
}

}  // namespace
}  // namespace muster::binding
