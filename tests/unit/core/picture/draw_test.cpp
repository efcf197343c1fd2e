// A node as lstopo gets it, and the page around what lstopo draws.
#include "core/picture/draw.hpp"

#include "core/error.hpp"
#include "core/picture/frame.hpp"
#include "core/picture/palette.hpp"
#include "core/topology/hwloc/load.hpp"
#include "fixtures/made_up_node.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::picture {
namespace {

// Two packages with two NUMA nodes of two L3 groups each; a GPU and a NIC behind one switch in
// each package.
topology::Topology example() {
  auto node = fixtures::made_up_node(
      {.packages = 2, .numa_per_package = 2, .l3_per_numa = 2, .cores_per_l3 = 2, .smt = 2});
  for (std::uint8_t i = 0; i < 2; ++i) {
    const auto bus = static_cast<std::uint8_t>(0x10 + 0x80 * i);
    fixtures::add_gpu(node, node.numa_nodes[2 * i].cpus, bus);
    fixtures::add_nic(node, fmt::format("mlx5_{}", i), node.numa_nodes[2 * i].cpus, bus);
  }
  return node;
}

plan::TaskPlan task(std::uint32_t rank, CpuSet cpus) {
  plan::TaskPlan plan;
  plan.procid = plan.rank = plan.local_rank = plan.index = rank;
  plan.resources.cpus = std::move(cpus);
  return plan;
}

// Rank 0 has the first package, rank 1 the second, and each has its own GPU; both share a NIC.
plan::NodePlan two_ranks(const topology::Topology& node) {
  plan::NodePlan plan{.node = "node1", .node_rank = 0, .tasks = {}, .warnings = {}};
  for (std::uint32_t i = 0; i < 2; ++i) {
    plan.tasks.push_back(task(i, node.packages[i].cpus));
    plan.tasks[i].resources.gpus = {{i, to_string(node.gpus[i].address), {}}};
    plan.tasks[i].resources.nics = {"mlx5_0"};
    plan.tasks[i].resources.numa = numa_nodes_of(node, node.packages[i].cpus);
  }
  return plan;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string style(std::string_view color) {
  return fmt::format("Background={};", color);
}

TEST(Drawing, IsTheSameMachineToHwloc) {
  const auto node = example();
  const auto drawn =
      topology::hwloc::parse_xml_topology(draw(node, two_ranks(node)).xml, "drawing");
  EXPECT_EQ(drawn.pus, node.pus);
  EXPECT_EQ(drawn.packages, node.packages);
  EXPECT_EQ(drawn.numa_nodes, node.numa_nodes);
  EXPECT_EQ(drawn.l3_groups, node.l3_groups);
  EXPECT_EQ(drawn.cores, node.cores);
}

TEST(Drawing, OfMemoryWithoutProcessorsIsTheSameMachineToHwloc) {
  auto node = example();
  node.numa_nodes.push_back({4, {}, true});
  node.numa_nodes.push_back({5, node.numa_nodes[0].cpus, true});
  const auto drawn =
      topology::hwloc::parse_xml_topology(draw(node, two_ranks(node)).xml, "drawing");
  ASSERT_EQ(drawn.numa_nodes.size(), 6U);
  EXPECT_TRUE(drawn.numa_nodes[4].memory_only);
  EXPECT_EQ(drawn.numa_nodes[5], node.numa_nodes[5]);
}

TEST(Drawing, GivesEachRankItsColourAndNumberOnCoresAndGpus) {
  const auto node = example();
  const auto xml = draw(node, two_ranks(node)).xml;
  // 8 cores with 2 threads each, 2 memory nodes, 1 GPU.
  EXPECT_EQ(count(xml, style(rank_colors[0])), 8U + 16U + 2U + 1U);
  EXPECT_EQ(count(xml, style(rank_colors[1])), 8U + 16U + 2U + 1U);
  EXPECT_NE(xml.find("subtype=\"r0 0,16 "), xml.npos) << xml;
  EXPECT_NE(xml.find("subtype=\"rank 1: GPU 1"), xml.npos);
  EXPECT_NE(xml.find("subtype=\"memory 3: rank 1\""), xml.npos);
}

TEST(Drawing, ShowsWhatSeveralRanksShareAndWhatNobodyHas) {
  const auto node = example();
  const auto xml = draw(node, two_ranks(node)).xml;
  EXPECT_EQ(count(xml, style(shared_color)), 1U);
  EXPECT_NE(xml.find("subtype=\"ranks 0-1: mlx5_0\""), xml.npos) << xml;
  EXPECT_NE(xml.find("subtype=\"mlx5_1"), xml.npos);
  auto plan = two_ranks(node);
  plan.tasks[1].resources.cpus = plan.tasks[0].resources.cpus;
  EXPECT_NE(draw(node, plan).xml.find("subtype=\"r0-1 0,16\""), std::string::npos);
}

TEST(Drawing, ShowsThreadsOnlyWhereTheyDiffer) {
  const auto node = example();
  EXPECT_FALSE(draw(node, two_ranks(node)).threads);
  auto plan = two_ranks(node);
  plan.tasks[0].resources.cpus.remove(16);
  EXPECT_TRUE(draw(node, plan).threads);
}

TEST(Drawing, PutsASwitchBetweenWhatIsBehindItAndItsBridge) {
  const auto node = example();
  const auto xml = draw(node, two_ranks(node)).xml;
  EXPECT_EQ(count(xml, "bridge_type=\"0-1\""), 2U);
  EXPECT_EQ(count(xml, "bridge_type=\"1-1\""), 2U);
  EXPECT_EQ(count(xml, "type=\"PCIDev\""), 4U);
}

TEST(Drawing, KeepsPartitionsBehindOneAddressApart) {
  auto node = example();
  node.gpus[1] = node.gpus[0];
  node.gpus[1].index = 1;
  node.gpus[1].partition = 1;
  const auto xml = draw(node, two_ranks(node)).xml;
  EXPECT_EQ(count(xml, "type=\"OSDev\""), 2U);
  EXPECT_NE(xml.find("name=\"1 rank 1\""), xml.npos) << xml;
}

TEST(Drawing, ShowsAGpuThatOnlySlurmKnows) {
  const auto node = example();
  auto plan = two_ranks(node);
  plan.tasks[1].resources.gpus = {{7, "", {}}};
  EXPECT_NE(draw(node, plan).xml.find("name=\"7 rank 1\""), std::string::npos);
}

TEST(Drawing, IsXmlWhateverADeviceOrNodeIsCalled) {
  auto node = example();
  node.nics[0].name = "<&\"'>\x01\xff";
  auto plan = two_ranks(node);
  plan.node = "a<b>\"";
  EXPECT_NO_THROW(topology::hwloc::parse_xml_topology(draw(node, plan).xml, "drawing"));
}

plan::StepPlan step_of(plan::NodePlan node) {
  return {"torch", {"10.0.0.1", 29500}, {std::move(node)}};
}

constexpr const char* inner =
    "<?xml version='1.0'?>\n<svg xmlns='x' width='300px' height='200px' viewBox='0 0 300px 200px'>"
    "<rect id='Machine_0_rect'/></svg>\n";

TEST(Page, HasABackgroundATitleAndALegendAroundTheDrawing) {
  const auto plan = step_of(two_ranks(example()));
  const auto svg = framed(inner, plan, plan.nodes.front());
  EXPECT_NE(svg.find("fill='#ffffff'/>"), svg.npos);
  EXPECT_NE(svg.find(">node1: profile torch, ranks 0-1</text>"), svg.npos) << svg;
  EXPECT_NE(svg.find("<rect id='Machine_0_rect'/></svg>"), svg.npos);
  EXPECT_EQ(count(svg, "class='legend'"), 2U);
  EXPECT_NE(svg.find(">CPUs 0-7,16-23</text>"), svg.npos);
  EXPECT_NE(svg.find(">GPU 1</text>"), svg.npos);
  EXPECT_EQ(count(svg, "<svg "), 2U);
  EXPECT_EQ(count(svg, "</svg>"), 2U);
}

TEST(Page, SaysWhereTheBindingOfCpusIsSlurms) {
  auto plan = step_of(two_ranks(example()));
  EXPECT_EQ(framed(inner, plan, plan.nodes.front()).find("Slurm binds"), std::string::npos);
  for (auto& task : plan.nodes.front().tasks) task.resources.cpus = {};
  EXPECT_NE(framed(inner, plan, plan.nodes.front()).find("Slurm binds CPUs and memory"),
            std::string::npos);
}

TEST(Page, IsRefusedWhereTheDrawingIsNoSvg) {
  const auto plan = step_of(two_ranks(example()));
  const std::string whole = inner;
  for (const std::string& broken :
       {std::string(), std::string("<svg >"), whole.substr(0, 40), std::string("</svg><svg "),
        std::string("<svg width='-1px' height='1px'></svg>"),
        std::string("<svg width='1e9px' height='1px'></svg>")}) {
    EXPECT_THROW(framed(broken, plan, plan.nodes.front()), Error) << broken;
  }
}

TEST(Page, IsOfTheNodeThatIsNamedElseOfRank0s) {
  plan::StepPlan plan = step_of(two_ranks(example()));
  plan.nodes.push_back(plan.nodes.front());
  plan.nodes[1].node = "node2";
  plan.nodes[1].node_rank = 1;
  EXPECT_EQ(node_to_draw(plan, "").node, "node1");
  EXPECT_EQ(node_to_draw(plan, "node2").node, "node2");
  EXPECT_THROW(node_to_draw(plan, "node3"), Error);
}

TEST(Palette, HasEightColoursThatDiffer) {
  auto colors = rank_colors;
  std::ranges::sort(colors);
  EXPECT_EQ(std::ranges::unique(colors).begin(), colors.end());
  EXPECT_EQ(color_of({8}), rank_colors[0]);
}

}  // namespace
}  // namespace muster::picture
