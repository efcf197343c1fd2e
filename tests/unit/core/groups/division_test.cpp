#include "core/groups/division.hpp"

#include "core/error.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::groups {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> nodes(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("n" + std::to_string(i));
  return names;
}

restart::StepShape shape(std::uint32_t wanted, std::optional<std::uint32_t> tasks = 2) {
  restart::StepShape shape;
  shape.size = {wanted, wanted, wanted};
  shape.tasks_per_node = tasks;
  return shape;
}

std::vector<std::vector<std::string>> names(const Division& division) {
  std::vector<std::vector<std::string>> all;
  for (const auto& group : division.groups) all.push_back(group.nodes);
  return all;
}

std::string refusal(const option::GroupRange& groups, const restart::StepShape& step,
                    std::size_t count) {
  try {
    const auto division = divide(groups, step, nodes(count));
    return "divided into " + std::to_string(division.groups.size());
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Division, GivesEachGroupNodesThatAreNextToEachOther) {
  const auto division = divide({2, 2}, shape(4), nodes(5));
  EXPECT_THAT(names(division), ElementsAre(ElementsAre("n0", "n1"), ElementsAre("n2", "n3")));
  EXPECT_THAT(division.spares, ElementsAre("n4"));
  EXPECT_EQ(division.groups.front().tasks_per_node, 2U);
}

TEST(Division, GivesEachGroupAPartOfANodeIfThereAreMoreGroupsThanNodes) {
  const auto division = divide({4, 4}, shape(2, 6), nodes(3));
  EXPECT_THAT(names(division), ElementsAre(ElementsAre("n0"), ElementsAre("n0"), ElementsAre("n1"),
                                           ElementsAre("n1")));
  EXPECT_THAT(division.spares, ElementsAre("n2"));
  EXPECT_EQ(division.groups.front().tasks_per_node, 3U);
  EXPECT_EQ(division.groups_per_node, 2U);
}

TEST(Division, GivesEachProgramTheNodesThatItAsksFor) {
  const std::vector<srun::StepSize> programs{
      {.nodes = 2, .tasks_per_node = 4}, {.nodes = 1}, {.tasks = 3}};
  const auto division = divide({2, 3}, programs, 1, nodes(5));
  EXPECT_THAT(names(division),
              ElementsAre(ElementsAre("n0", "n1"), ElementsAre("n2"), ElementsAre("n3")));
  EXPECT_EQ(division.groups[0].tasks_per_node, 4U);
  EXPECT_EQ(division.groups[1].tasks_per_node, 1U);
  EXPECT_EQ(division.groups[2].tasks_per_node, 3U);
  EXPECT_THAT(division.spares, ElementsAre("n4"));
}

std::string refusal_of_programs(const option::GroupRange& groups,
                                const std::vector<srun::StepSize>& programs, std::uint32_t spares) {
  try {
    return std::to_string(divide(groups, programs, spares, nodes(3)).groups.size());
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Division, SaysWhatDoesNotFitThePrograms) {
  EXPECT_EQ(refusal_of_programs({3, 3}, {{.nodes = 1}, {.nodes = 1}}, 0),
            "groups=3: the command has 2 programs; each is a group of its own, so write groups=2");
  EXPECT_EQ(refusal_of_programs({2, 2}, {{.nodes = 2}, {.nodes = 2}}, 0),
            "groups=2: the programs need more nodes than the job has (3); request more nodes");
  EXPECT_EQ(refusal_of_programs({2, 2}, {{.nodes = 2}, {.nodes = 1}}, 1),
            "spares=1: the job has 3 nodes, and the programs use 3; request more nodes");
  EXPECT_EQ(refusal_of_programs({2, 2}, {{.nodes = 1}, {.nodes = 0}}, 0),
            "groups=2: a step of 0 nodes has no groups; use -N1 or more");
  EXPECT_THAT(refusal_of_programs({2, 2}, {{.nodes = 2, .tasks = 3}, {.nodes = 1}}, 0),
              HasSubstr("use --ntasks-per-node"));
  EXPECT_THAT(refusal_of_programs({2, 2}, {{.nodes = 1, .chose_nodes = true}, {}}, 0),
              HasSubstr("leave out --nodelist"));
}

TEST(Division, BeginsWithAsManyGroupsAsMayBe) {
  EXPECT_EQ(divide({1, 3}, shape(3), nodes(3)).groups.size(), 3U);
}

TEST(Division, SaysWhatDoesNotDivide) {
  EXPECT_EQ(refusal({3, 3}, shape(4), 4),
            "groups=3: 4 nodes cannot be divided evenly among 3 groups; use 6 nodes");
  EXPECT_EQ(refusal({2, 5}, shape(4), 4),
            "groups=2:5: 5 groups cannot be divided evenly among 4 nodes; use 8 groups");
  EXPECT_EQ(
      refusal({6, 6}, shape(2, 4), 2),
      "groups=6: each node has 4 tasks, which cannot be divided evenly among its 3 groups; use 6 "
      "tasks per node, or 6 nodes");
  EXPECT_THAT(refusal({2, 2}, shape(4), 3),
              HasSubstr("4 nodes are needed, but the job has only 3"));
  EXPECT_EQ(refusal({2, 2}, shape(0), 4),
            "groups=2: a step of 0 nodes has no groups; use -N1 or more");
  EXPECT_THAT(refusal({2, 2}, shape(4, std::nullopt), 4), HasSubstr("use --ntasks-per-node"));
}

TEST(Division, RefusesNodesThatTheUserChose) {
  auto chosen = shape(4);
  chosen.fixed = true;
  EXPECT_THAT(refusal({2, 2}, chosen, 4), HasSubstr("leave out --nodelist"));
}

}  // namespace
}  // namespace muster::groups
