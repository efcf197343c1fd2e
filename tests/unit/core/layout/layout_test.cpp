#include "core/layout/layout.hpp"

#include "core/layout/slurm_variables.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"
#include "wire/layout_line.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::layout {
namespace {

using Tasks = std::vector<ProcId>;
using Ranks = std::vector<std::uint32_t>;

Layout layout(std::vector<std::string> nodes, std::vector<NodeIndex> node_of_task) {
  return {std::move(nodes), std::move(node_of_task), ""};
}

const Layout block = layout({"a", "b"}, {0, 0, 1, 1});
const Layout cyclic = layout({"a", "b"}, {0, 1, 0, 1});
const Layout uneven = layout({"a", "b", "c"}, {0, 0, 0, 1, 2, 2});
// --distribution=arbitrary may put rank 0 anywhere and return to a node.
const Layout arbitrary = layout({"a", "b", "c"}, {2, 0, 2, 1, 0});

Environment variables(const std::string& nodes, const std::string& tasks) {
  return {{"SLURM_STEP_NODELIST", nodes}, {"SLURM_STEP_TASKS_PER_NODE", tasks}};
}

TEST(Layout, ListsTheTasksOfANode) {
  EXPECT_EQ(tasks_on(block, 1), (Tasks{2, 3}));
  EXPECT_EQ(tasks_on(cyclic, 1), (Tasks{1, 3}));
  EXPECT_EQ(tasks_on(arbitrary, 2), (Tasks{0, 2}));
  EXPECT_EQ(tasks_on(block, 7), Tasks{});
}

TEST(Layout, NumbersNodesByTheirLowestTask) {
  EXPECT_EQ(node_ranks(block), (Ranks{0, 1}));
  EXPECT_EQ(node_ranks(cyclic), (Ranks{0, 1}));
  EXPECT_EQ(node_ranks(arbitrary), (Ranks{1, 2, 0}));
}

TEST(Layout, NumbersNodesWithoutTasksLastAndDoesNotCountThem) {
  const auto some_idle = layout({"a", "b", "c", "d"}, {3, 1, 3});
  EXPECT_EQ(node_ranks(some_idle), (Ranks{2, 1, 3, 0}));
  EXPECT_EQ(node_count(some_idle), 2U);
  EXPECT_EQ(node_count(uneven), 3U);
}

TEST(Layout, IsContiguousWhenEveryNodesTasksFollowEachOther) {
  EXPECT_TRUE(is_contiguous(block));
  EXPECT_TRUE(is_contiguous(uneven));
  EXPECT_TRUE(is_contiguous(layout({"a", "b"}, {1, 1, 0})));
  EXPECT_TRUE(is_contiguous(layout({"a"}, {0, 0, 0})));
  EXPECT_TRUE(is_contiguous(layout({"a", "b"}, {0, 1})));
  EXPECT_FALSE(is_contiguous(cyclic));
  EXPECT_FALSE(is_contiguous(arbitrary));
}

TEST(ContiguousRanks, LeaveAContiguousLayoutInOrderAsItIs) {
  EXPECT_EQ(contiguous_ranks(block), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(contiguous_ranks(uneven), (Ranks{0, 1, 2, 3, 4, 5}));
}

TEST(ContiguousRanks, GiveEveryNodeConsecutiveOnes) {
  EXPECT_EQ(contiguous_ranks(cyclic), (Ranks{0, 2, 1, 3}));
  EXPECT_EQ(contiguous_ranks(arbitrary), (Ranks{0, 2, 1, 4, 3}));
}

TEST(ContiguousRanks, KeepTaskZeroFirstAndEveryNumberOnceForAnyLayout) {
  fixtures::RandomText random(1);
  for (int i = 0; i < 2000; ++i) {
    auto any = layout(std::vector<std::string>(1 + random.below(6), "n"), {});
    any.node_of_task.resize(1 + random.below(30));
    for (auto& node : any.node_of_task) {
      node = static_cast<NodeIndex>(random.below(any.nodes.size()));
    }
    const auto ranks = contiguous_ranks(any);
    ASSERT_EQ(ranks[0], 0U);
    auto renumbered = any;
    for (ProcId task = 0; task < ranks.size(); ++task) {
      renumbered.node_of_task.at(ranks[task]) = any.node_of_task[task];
    }
    ASSERT_TRUE(is_contiguous(renumbered));
    ASSERT_EQ(node_ranks(renumbered), node_ranks(any));
    auto sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t rank = 0; rank < sorted.size(); ++rank) ASSERT_EQ(sorted[rank], rank);
    // The order of a node's tasks is SLURM_LOCALID; renumbering must not change it.
    for (NodeIndex node = 0; node < any.nodes.size(); ++node) {
      const auto tasks = tasks_on(any, node);
      for (std::size_t t = 1; t < tasks.size(); ++t) {
        ASSERT_EQ(ranks[tasks[t]], ranks[tasks[t - 1]] + 1);
      }
    }
  }
}

TEST(LayoutFromText, ReadsWhatSrunsShimSends) {
  const auto read = layout_from_text("1|n[1-2]|0+2x2|10.0.0.1");
  EXPECT_EQ(read.nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(read.node_of_task, (std::vector<NodeIndex>{0, 0, 1, 1}));
  EXPECT_EQ(read.first_address, "10.0.0.1");
}

TEST(LayoutFromText, RefusesATextThatDidNotArriveWhole) {
  for (const auto* const text : {"", "1|n[1-2]|0+2", "2|n1|0+1x1|", "1|n1", "1|n1|0+1x1,|"}) {
    EXPECT_NE(fixtures::error_of([&] { layout_from_text(text); }).find("arrived truncated"),
              std::string::npos)
        << text;
  }
}

TEST(LayoutFromText, ReadsTheComponentsOfAHeterogeneousStep) {
  const auto read = layout_from_text("2|a,n[1-2]|0+1x1,1+2x2|10.0.0.1|42:1:1,43:2:4");
  EXPECT_EQ(read.nodes, (std::vector<std::string>{"a", "n1", "n2"}));
  EXPECT_EQ(read.node_of_task, (std::vector<NodeIndex>{0, 1, 1, 2, 2}));
  EXPECT_EQ(read.components, (std::vector<Component>{{42, 0, 0}, {43, 1, 1}}));
}

TEST(LayoutFromText, RefusesComponentsThatDoNotFitTheStep) {
  for (const auto* const components : {"42:1:1", "42:1:1,43:2:3", "42:2:1,43:2:4"}) {
    const auto text = std::string("2|a,n[1-2]|0+1x1,1+2x2||") + components;
    EXPECT_NE(fixtures::error_of([&] { layout_from_text(text); }).find("components have"),
              std::string::npos)
        << components;
  }
}

TEST(LayoutFromText, RefusesTwoComponentsOnOneNode) {
  EXPECT_NE(
      fixtures::error_of([] { layout_from_text("2|a,a|0+2x1||42:1:1,43:1:1"); }).find("share a,"),
      std::string::npos);
}

TEST(LayoutFromText, RefusesANodeThatIsNotInTheList) {
  EXPECT_NE(fixtures::error_of([] {
              layout_from_text("1|n[1-2]|0+3x1|");
            }).find("node with index 2, but lists only 2 nodes"),
            std::string::npos);
  EXPECT_TRUE(fixtures::is_one_line(fixtures::error_of([] { layout_from_text("1|n[1|0+1x1|"); })));
}

TEST(LayoutFromVariables, FindsBlock) {
  const auto read = layout_from_variables(variables("n[1-2]", "2(x2)"), 1, {2, 3});
  EXPECT_EQ(read.nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(read.node_of_task, block.node_of_task);
}

TEST(LayoutFromVariables, FindsCyclic) {
  EXPECT_EQ(layout_from_variables(variables("n[1-2]", "2(x2)"), 1, {1, 3}).node_of_task,
            cyclic.node_of_task);
  EXPECT_EQ(layout_from_variables(variables("n[1-3]", "3,1,2"), 0, {0, 3, 5}).node_of_task,
            (std::vector<NodeIndex>{0, 1, 2, 0, 2, 0}));
}

TEST(LayoutFromVariables, FindsAPlaneOfTheSizeThatSlurmNames) {
  auto environment = variables("n[1-2]", "5,3");
  environment.set("SLURM_DISTRIBUTION", "plane");
  environment.set("SLURM_DIST_PLANESIZE", "2");
  // Slurm's own result for `-N2 -n8 --overcommit -m plane=2`.
  const std::vector<NodeIndex> expected{0, 0, 1, 1, 0, 0, 1, 0};
  EXPECT_EQ(layout_from_variables(environment, 0, {0, 1, 4, 5, 7}).node_of_task, expected);
  EXPECT_EQ(layout_from_variables(environment, 1, {2, 3, 6}).node_of_task, expected);
  for (const auto* const size : {"", "0", "-2", "2x", "99999999999", "3"}) {
    environment.set("SLURM_DIST_PLANESIZE", size);
    EXPECT_THROW(layout_from_variables(environment, 1, {2, 3, 6}), Error) << size;
  }
}

TEST(LayoutFromVariables, FindsAnArbitraryOneWhereSlurmNamesItsHosts) {
  auto environment = variables("n[1-3]", "1,2,1");
  environment.set("SLURM_ARBITRARY_NODELIST", "n2,n1,n3,n2");
  const auto read = layout_from_variables(environment, 1, {0, 3});
  EXPECT_EQ(read.node_of_task, (std::vector<NodeIndex>{1, 0, 2, 1}));
  // The hosts of a different step.
  for (const auto* const hosts : {"n2,n1,n3", "n2,n1,n3,n3", "n2,n1,n3,n4", "n2,n1,n3,n2,n2"}) {
    environment.set("SLURM_ARBITRARY_NODELIST", hosts);
    EXPECT_THROW(layout_from_variables(environment, 1, {0, 3}), Error) << hosts;
    EXPECT_EQ(layout_from_variables(environment, 1, {1, 2}).node_of_task,
              (std::vector<NodeIndex>{0, 1, 1, 2}));
  }
}

TEST(LayoutFromVariables, RefusesToGuessAnArbitraryOneOnEveryNode) {
  auto environment = variables("n[1-3]", "1(x3)");
  environment.set("SLURM_DISTRIBUTION", "arbitrary");
  // This node alone would look like block.
  const auto text = fixtures::error_of([&] { layout_from_variables(environment, 0, {0}); });
  EXPECT_NE(text.find("SLURM_ARBITRARY_NODELIST is not set; export it"), std::string::npos) << text;
  environment.set("SLURM_ARBITRARY_NODELIST", "n1,n3,n2");
  EXPECT_EQ(layout_from_variables(environment, 0, {0}).node_of_task,
            (std::vector<NodeIndex>{0, 2, 1}));
}

TEST(LayoutFromVariables, TakesSlurmsWordWhereANodeFitsTwoDistributions) {
  auto environment = variables("n[1-3]", "1,2(x2)");
  EXPECT_EQ(layout_from_variables(environment, 0, {0}).node_of_task,
            (std::vector<NodeIndex>{0, 1, 1, 2, 2}));
  environment.set("SLURM_DISTRIBUTION", "cyclic:block");
  EXPECT_EQ(layout_from_variables(environment, 0, {0}).node_of_task,
            (std::vector<NodeIndex>{0, 1, 2, 1, 2}));
}

TEST(LayoutFromVariables, RefusesToGuessAnyOtherDistribution) {
  for (const auto& tasks : {Tasks{0, 3}, Tasks{}, Tasks{0}, Tasks{2, 1}, Tasks{2, 3, 4}}) {
    EXPECT_NE(fixtures::error_of([&] {
                layout_from_variables(variables("n[1-2]", "2(x2)"), 1, tasks);
              }).find("none of block, cyclic and plane"),
              std::string::npos);
  }
}

TEST(LayoutFromVariables, RefusesANodeIndexBeyondTheList) {
  EXPECT_TRUE(fixtures::is_one_line(
      fixtures::error_of([] { layout_from_variables(variables("n[1-2]", "1(x2)"), 2, {}); })));
}

TEST(LayoutFromVariables, SaysWhichVariableIsMissingOrDoesNotFit) {
  EXPECT_NE(
      fixtures::error_of([] { layout_from_variables({}, 0, {0}); }).find("SLURM_STEP_NODELIST"),
      std::string::npos);
  EXPECT_NE(fixtures::error_of([] {
              layout_from_variables(variables("n1", ""), 0, {0});
            }).find("SLURM_STEP_TASKS_PER_NODE"),
            std::string::npos);
  EXPECT_NE(fixtures::error_of([] {
              layout_from_variables(variables("n[1-3]", "1(x2)"), 0, {0});
            }).find("which has 3 nodes"),
            std::string::npos);
}

TEST(LayoutFromVariables, IsQuickForTheLargestAndMostUnevenSteps) {
  const auto counts = "4000000,0(x262143)";
  const auto read = layout_from_variables(variables("n[1-262144]", counts), 1, {});
  EXPECT_EQ(read.node_of_task.size(), 4'000'000U);
  EXPECT_THROW(layout_from_variables(variables("n[1-262144]", counts), 1, {7}), Error);
}

}  // namespace
}  // namespace muster::layout
