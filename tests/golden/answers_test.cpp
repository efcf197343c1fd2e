// The correct answers that centres and vendors publish for their machines.
#include "captures.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace muster::golden {
namespace {

using Lists = std::vector<std::string>;

Lists cpus_of(const binding::BindingPlan& plan) {
  Lists lists;
  for (const auto& task : plan.tasks) lists.push_back(task.cpus.to_string());
  return lists;
}

Lists numa_of(const binding::BindingPlan& plan) {
  Lists lists;
  for (const auto& task : plan.tasks) lists.push_back(task.numa.to_string());
  return lists;
}

// The NICs of each task, sorted, so that it does not matter which one it starts with.
std::vector<Lists> nics_of(const topology::Topology& node, const binding::BindingPlan& plan) {
  std::vector<Lists> all;
  for (const auto& task : plan.tasks) {
    Lists names;
    for (const auto nic : task.nics) names.push_back(node.nics[nic].name);
    std::ranges::sort(names);
    all.push_back(names);
  }
  return all;
}

constexpr const char* ex235a = "llnl-tioga-mi250x-ex235a";

// docs.olcf.ornl.gov, Frontier user guide: GCD -> L3.
TEST(Frontier, EachRankIsInTheL3OfItsGcd) {
  MUSTER_REQUIRE_CAPTURE(ex235a);
  const topology::Topology node = load_capture(ex235a);
  const auto plan = bind(node, whole_node(node));
  EXPECT_EQ(cpus_of(plan), (Lists{"48-55,112-119", "56-63,120-127", "16-23,80-87", "24-31,88-95",
                                  "0-7,64-71", "8-15,72-79", "32-39,96-103", "40-47,104-111"}));
  EXPECT_TRUE(plan.warnings.empty());
}

// docs.lumi-supercomputer.eu, distribution and binding: the first core of each L3 is reserved for the system,
// one thread per core, masks fe000000000000,fe00000000000000,fe0000,...
TEST(LumiG, ReservedCoresAndNoSmtGiveItsPublishedMasks) {
  MUSTER_REQUIRE_CAPTURE(ex235a);
  const topology::Topology node = load_capture(ex235a);
  auto request = whole_node(node);
  for (unsigned l3 = 0; l3 < 8; ++l3) request.allowed -= CpuSet{l3 * 8, l3 * 8 + 64};
  request.smt = false;
  const auto plan = bind(node, request);
  const std::vector<std::uint64_t> masks{
      0xfe000000000000, 0xfe00000000000000, 0xfe0000,      0xfe000000, 0xfe,
      0xfe00,           0xfe00000000,       0xfe0000000000};
  for (std::size_t rank = 0; rank < masks.size(); ++rank)
    EXPECT_EQ(plan.tasks[rank].cpus.words(), std::vector<std::uint64_t>{masks[rank]}) << rank;
  EXPECT_EQ(numa_of(plan), (Lists{"3", "3", "1", "1", "0", "0", "2", "2"}));
  EXPECT_EQ(plan.tasks[0].threads, 7u);
}

// map_cpu:49,57,17,25,1,9,33,41
TEST(LumiG, OneCoreEachGivesItsPublishedCpuMap) {
  MUSTER_REQUIRE_CAPTURE(ex235a);
  const topology::Topology node = load_capture(ex235a);
  auto request = whole_node(node);
  for (unsigned l3 = 0; l3 < 8; ++l3) request.allowed -= CpuSet{l3 * 8, l3 * 8 + 64};
  request.smt = false;
  request.policy = option::Bind::core;
  EXPECT_EQ(cpus_of(bind(node, request)), (Lists{"49", "57", "17", "25", "1", "9", "33", "41"}));
}

TEST(LumiG, TwoGcdsOfAModuleShareItsNic) {
  MUSTER_REQUIRE_CAPTURE(ex235a);
  const topology::Topology node = load_capture(ex235a);
  EXPECT_EQ(nics_of(node, bind(node, whole_node(node))),
            (std::vector<Lists>{
                {"hsi0"}, {"hsi0"}, {"hsi1"}, {"hsi1"}, {"hsi2"}, {"hsi2"}, {"hsi3"}, {"hsi3"}}));
}

TEST(LumiG, FourTasksGetTheTwoGcdsOfAModule) {
  MUSTER_REQUIRE_CAPTURE(ex235a);
  const topology::Topology node = load_capture(ex235a);
  auto request = whole_node(node);
  request.tasks = 4;
  const auto plan = bind(node, request);
  for (std::size_t task = 0; task < 4; ++task)
    EXPECT_EQ(plan.tasks[task].gpus, (std::vector<std::size_t>{2 * task, 2 * task + 1}));
  EXPECT_EQ(cpus_of(plan), (Lists{"48-63,112-127", "16-31,80-95", "0-15,64-79", "32-47,96-111"}));
}

// github.com/NVIDIA/deepops pull 1102: Cores=48-63,16-31,112-127,80-95 for pairs of GPUs.
TEST(DgxA100, RanksAreOnNuma33117755AndPairsShareANode) {
  MUSTER_REQUIRE_CAPTURE("synthetic-dgx-a100");
  const topology::Topology node = load_capture("synthetic-dgx-a100");
  const auto plan = bind(node, whole_node(node));
  EXPECT_EQ(numa_of(plan), (Lists{"3", "3", "1", "1", "7", "7", "5", "5"}));
  const Lists pairs{"48-63,176-191", "16-31,144-159", "112-127,240-255", "80-95,208-223"};
  for (std::size_t pair = 0; pair < 4; ++pair)
    EXPECT_EQ((plan.tasks[2 * pair].cpus | plan.tasks[2 * pair + 1].cpus).to_string(), pairs[pair]);
}

TEST(DgxA100, BothNicsOfASwitchAreGivenToBothItsGpus) {
  MUSTER_REQUIRE_CAPTURE("synthetic-dgx-a100");
  const topology::Topology node = load_capture("synthetic-dgx-a100");
  const Lists a{"mlx5_0", "mlx5_1"};
  const Lists b{"mlx5_2", "mlx5_3"};
  const Lists c{"mlx5_6", "mlx5_7"};
  const Lists d{"mlx5_8", "mlx5_9"};
  EXPECT_EQ(nics_of(node, bind(node, whole_node(node))),
            (std::vector<Lists>{a, a, b, b, c, c, d, d}));
}

// DGX H100 User Guide, page 13; the CPUs come from github.com/deepseek-ai/DeepEP issue 145.
TEST(DgxH100, FourRanksShareEachSocketAndEachHasItsOwnNic) {
  MUSTER_REQUIRE_CAPTURE("synthetic-dgx-h100");
  const topology::Topology node = load_capture("synthetic-dgx-h100");
  const auto plan = bind(node, whole_node(node));
  EXPECT_EQ(cpus_of(plan),
            (Lists{"0-13,112-125", "14-27,126-139", "28-41,140-153", "42-55,154-167",
                   "56-69,168-181", "70-83,182-195", "84-97,196-209", "98-111,210-223"}));
  EXPECT_EQ(nics_of(node, plan), (std::vector<Lists>{{"mlx5_0"},
                                                     {"mlx5_3"},
                                                     {"mlx5_4"},
                                                     {"mlx5_5"},
                                                     {"mlx5_6"},
                                                     {"mlx5_9"},
                                                     {"mlx5_10"},
                                                     {"mlx5_11"}}));
}

TEST(Mi300a, EachRankHasThePackageAndTheNicOfItsApu) {
  MUSTER_REQUIRE_CAPTURE("llnl-tuolumne-mi300a-spx");
  const topology::Topology node = load_capture("llnl-tuolumne-mi300a-spx");
  const auto plan = bind(node, whole_node(node));
  EXPECT_EQ(cpus_of(plan),
            (Lists{"0-23,96-119", "24-47,120-143", "48-71,144-167", "72-95,168-191"}));
  EXPECT_EQ(nics_of(node, plan), (std::vector<Lists>{{"hsi0"}, {"hsi1"}, {"hsi2"}, {"hsi3"}}));
}

TEST(Power9, SparseNumaNodesAndCpuNumbersWithHolesAreNoTrouble) {
  MUSTER_REQUIRE_CAPTURE("llnl-lassen-power9-4v100");
  const topology::Topology node = load_capture("llnl-lassen-power9-4v100");
  const auto plan = bind(node, whole_node(node));
  EXPECT_EQ(cpus_of(plan), (Lists{"8-47", "48-87", "96-135", "136-175"}));
  EXPECT_EQ(numa_of(plan), (Lists{"0", "0", "8", "8"}));
  EXPECT_EQ(plan.tasks[0].threads, 10u);
}

TEST(Corona, GpusThatAreNotCountedInPciOrderKeepTheirNumbers) {
  MUSTER_REQUIRE_CAPTURE("llnl-corona-8mi50");
  const topology::Topology node = load_capture("llnl-corona-8mi50");
  ASSERT_EQ(node.gpus.size(), 8u);
  EXPECT_EQ(to_string(node.gpus[0].address), "0000:63:00.0");
  EXPECT_EQ(to_string(node.gpus[2].address), "0000:03:00.0");
  EXPECT_EQ(node.gpus[0].vendor, topology::GpuVendor::amd);
  EXPECT_EQ(node.gpus[0].partition, 0u);
}

TEST(G4dn, EachGpuIsCountedOnceThoughThreeBackendsSawIt) {
  MUSTER_REQUIRE_CAPTURE("aws-g4dn-metal-8t4");
  const topology::Topology node = load_capture("aws-g4dn-metal-8t4");
  ASSERT_EQ(node.gpus.size(), 8u);
  EXPECT_EQ(node.gpus[0].uuid, "GPU-029490c8-a116-638b-7018-1a6b7a9002ef");
}

TEST(Hbv4, TasksWithoutGpusGetANumaNodeEachAndTheInfinibandPort) {
  MUSTER_REQUIRE_CAPTURE("azure-hbv4-cpuonly-genoax");
  const topology::Topology node = load_capture("azure-hbv4-cpuonly-genoax");
  auto request = whole_node(node);
  request.tasks = 4;
  const auto plan = bind(node, request);
  EXPECT_EQ(cpus_of(plan), (Lists{"0-43", "44-87", "88-131", "132-175"}));
  for (const auto& nics : nics_of(node, plan)) EXPECT_EQ(nics, Lists{"mlx5_ib0"});
}

}  // namespace
}  // namespace muster::golden
