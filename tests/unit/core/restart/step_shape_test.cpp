#include "core/restart/step_shape.hpp"

#include "core/error.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using testing::HasSubstr;

Elasticity asking(std::uint32_t spares, std::optional<option::NodeRange> nodes = {}) {
  return {.spares = spares, .nodes = nodes};
}

std::string refusal(const Elasticity& elasticity, const srun::StepSize& asked,
                    std::uint32_t nodes) {
  try {
    static_cast<void>(step_shape(elasticity, asked, nodes));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

srun::StepSize size_of(std::vector<std::string> options, const Environment& environment = {}) {
  options.insert(options.begin(), "srun");
  options.emplace_back("./x");
  return asked_size({options, options.size() - 1}, environment, 4);
}

TEST(AskedSize, HasTheNodesThatTheLinesTasksNeed) {
  EXPECT_EQ(size_of({"-n3", "--ntasks-per-node=1"}).nodes, 3U);
  EXPECT_EQ(size_of({"-n3", "--ntasks-per-node=2"}).nodes, std::nullopt);
  EXPECT_EQ(size_of({"-N2", "-n3", "--ntasks-per-node=1"}).nodes, 2U);
  EXPECT_EQ(size_of({"-n3"}, {{"SLURM_NTASKS_PER_NODE", "1"}}).nodes, std::nullopt);
}

TEST(AskedSize, SharesTheJobsTasksAmongAllItsNodes) {
  EXPECT_EQ(size_of({}, {{"SLURM_NTASKS", "8"}}).tasks_per_node, 2U);
  EXPECT_EQ(size_of({"-n8"}).tasks_per_node, std::nullopt);
}

TEST(StepShape, IsTheWholeAllocationWithoutOtherWords) {
  const auto shape = step_shape(asking(0), {}, 4);
  EXPECT_EQ(shape.size, (Size{4, 4, 4}));
  EXPECT_EQ(shape.tasks_per_node, 1U);
}

TEST(StepShape, LeavesTheSparesOut) {
  EXPECT_EQ(step_shape(asking(2), {}, 34).size, (Size{32, 32, 32}));
}

TEST(StepShape, HasTheUsersNumberOfNodes) {
  srun::StepSize asked;
  asked.nodes = 2;
  asked.tasks = 8;
  const auto shape = step_shape(asking(1), asked, 4);
  EXPECT_EQ(shape.size, (Size{2, 2, 2}));
  EXPECT_EQ(shape.tasks_per_node, 4U);
}

TEST(StepShape, TakesTheRangeOfAnElasticTraining) {
  EXPECT_EQ(step_shape(asking(0, option::NodeRange{2, std::nullopt}), {}, 4).size, (Size{4, 2, 4}));
  EXPECT_EQ(step_shape(asking(0, option::NodeRange{2, 3}), {}, 4).size, (Size{3, 2, 3}));
  EXPECT_EQ(step_shape(asking(1, option::NodeRange{2, std::nullopt}), {}, 4).size, (Size{3, 2, 3}));
}

TEST(StepShape, RefusesSparesThatLeaveNothing) {
  EXPECT_THAT(refusal(asking(2), {}, 2),
              HasSubstr("spares=2 leaves no node for the run (available: 2)"));
  srun::StepSize asked;
  asked.nodes = 4;
  EXPECT_THAT(refusal(asking(1), asked, 4),
              HasSubstr("4 nodes for the run leave 0 of 4 in reserve"));
}

TEST(StepShape, RefusesMoreNodesThanThereAre) {
  EXPECT_THAT(refusal(asking(0, option::NodeRange{5, std::nullopt}), {}, 4),
              HasSubstr("nodes=5: only 4"));
}

TEST(StepShape, RefusesTasksThatDoNotDivide) {
  srun::StepSize asked;
  asked.nodes = 3;
  asked.tasks = 8;
  EXPECT_THAT(refusal(asking(1), asked, 4),
              HasSubstr("8 tasks cannot be divided evenly among 3 nodes"));
  EXPECT_EQ(step_shape(asking(0), asked, 3).tasks_per_node, std::nullopt);
}

TEST(StepShape, DividesTheTasksByTheNodesThatItBeginsWith) {
  srun::StepSize asked;
  asked.tasks = 8;
  EXPECT_EQ(step_shape(asking(0, option::NodeRange{2, 4}), asked, 5).tasks_per_node, 2U);
  EXPECT_THAT(refusal(asking(0, option::NodeRange{2, 3}), asked, 5),
              HasSubstr("8 tasks cannot be divided evenly among 3 nodes"));
}

TEST(StepShape, RefusesOtherNodesWhereTheUserNamesThem) {
  srun::StepSize asked;
  asked.chose_nodes = true;
  EXPECT_THAT(refusal(asking(1), asked, 4), HasSubstr("this srun specifies its nodes"));
  EXPECT_TRUE(step_shape(asking(0), asked, 4).fixed);
}

}  // namespace
}  // namespace muster::restart
