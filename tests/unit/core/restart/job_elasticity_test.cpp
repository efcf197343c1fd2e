#include "core/restart/job_elasticity.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using testing::HasSubstr;

constexpr Dispensable both{.spares = true, .nodes = true};
const option::NodeRange two_or_three{2, 3};

srun::StepSize on(std::optional<std::uint32_t> nodes, std::optional<std::uint32_t> tasks = {}) {
  return {.nodes = nodes, .tasks = tasks};
}

srun::StepSize on_chosen_node() {
  return {.nodes = 1, .tasks = 1, .chose_nodes = true};
}

TEST(JobElasticity, IsKeptByAStepThatCanHaveIt) {
  const auto step = elastic_step({.spares = 1, .nodes = two_or_three}, both, on(2, 4), 4);
  EXPECT_EQ(step.elasticity.spares, 1U);
  EXPECT_EQ(step.elasticity.nodes, two_or_three);
  EXPECT_EQ(step.line, "");
}

TEST(JobElasticity, IsNotForAStepThatNamesItsNodes) {
  const auto step = elastic_step({.spares = 1, .nodes = two_or_three}, both, on_chosen_node(), 4);
  EXPECT_EQ(step.elasticity.spares, 0U);
  EXPECT_FALSE(step.elasticity.nodes);
  EXPECT_EQ(step.shape.size, (Size{1, 1, 1}));
  EXPECT_EQ(step.line,
            "spares=: this srun specifies its nodes, so no other nodes can replace them; this step "
            "runs without spares= and nodes=");
}

TEST(JobElasticity, KeepsNoSparesFromAStepOnAllNodes) {
  const auto step = elastic_step({.spares = 1}, both, on(3), 3);
  EXPECT_EQ(step.elasticity.spares, 0U);
  EXPECT_EQ(step.shape.size, (Size{3, 3, 3}));
  EXPECT_EQ(
      step.line,
      "spares=1: 3 nodes for the run leave 0 of 3 in reserve; this step runs without spares=");
}

TEST(JobElasticity, KeepsTheRangeWhereOnlyTheSparesAreImpossible) {
  const auto step = elastic_step({.spares = 1, .nodes = two_or_three}, both, on(3), 3);
  EXPECT_EQ(step.elasticity.spares, 0U);
  EXPECT_EQ(step.elasticity.nodes, two_or_three);
}

TEST(JobElasticity, DoesNotChangeTheSizeOfAStep) {
  const auto smaller = elastic_step({.nodes = two_or_three}, both, on(1, 1), 4);
  EXPECT_EQ(smaller.shape.size, (Size{1, 1, 1}));
  EXPECT_EQ(smaller.line, "nodes=2:3: this srun uses 1 node; this step runs without nodes=");
  EXPECT_EQ(elastic_step({.nodes = two_or_three}, both, on(4), 4).shape.size, (Size{4, 4, 4}));
  EXPECT_EQ(elastic_step({.nodes = two_or_three}, {}, on(1, 1), 4).shape.size.wanted, 2U);
}

TEST(JobElasticity, IsNotForTasksThatDoNotDivide) {
  const auto step = elastic_step({.spares = 1}, both, on({}, 1), 3);
  EXPECT_EQ(step.elasticity.spares, 0U);
  EXPECT_THAT(step.line, HasSubstr("1 task cannot be divided evenly among 2 nodes"));
}

TEST(JobElasticity, IsAnErrorForAStepThatCannotDoWithoutIt) {
  EXPECT_THROW(elastic_step({.spares = 1}, {}, on(3), 3), Error);
  EXPECT_THROW(elastic_step({.spares = 1}, {.nodes = true}, on_chosen_node(), 3), Error);
  EXPECT_THROW(
      elastic_step({.spares = 1, .nodes = two_or_three}, {.spares = true}, on_chosen_node(), 3),
      Error);
}

TEST(JobElasticity, LeavesNodesToOtherStepsBesideThoseInReserve) {
  const auto leaves = [](const Elasticity& elasticity, const srun::StepSize& asked) {
    return leaves_nodes(elastic_step(elasticity, {}, asked, 4), 4);
  };
  EXPECT_TRUE(leaves({.spares = 1}, on(1)));
  EXPECT_TRUE(leaves({.nodes = option::NodeRange{1, 4}}, on(1)));
  EXPECT_FALSE(leaves({.spares = 1}, on(3)));
  EXPECT_FALSE(leaves({.spares = 1}, {}));
}

TEST(JobElasticity, BelongsToARunThatIsNotSmaller) {
  EXPECT_TRUE(is_smaller_than_run({}, on(1), 4));
  EXPECT_TRUE(is_smaller_than_run({}, on({}, 1), 4));
  EXPECT_TRUE(is_smaller_than_run({.nodes = two_or_three}, on(1), 4));
  EXPECT_FALSE(is_smaller_than_run({.nodes = two_or_three}, on(2), 4));
  EXPECT_FALSE(is_smaller_than_run({.spares = 1}, on(3, 24), 4));
  EXPECT_FALSE(is_smaller_than_run({}, {}, 4));
}

}  // namespace
}  // namespace muster::restart
