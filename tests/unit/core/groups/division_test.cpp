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
  EXPECT_THAT(division.groups, ElementsAre(ElementsAre("n0", "n1"), ElementsAre("n2", "n3")));
  EXPECT_THAT(division.spares, ElementsAre("n4"));
  EXPECT_EQ(division.tasks_per_node, 2U);
}

TEST(Division, BeginsWithAsManyGroupsAsMayBe) {
  EXPECT_EQ(divide({1, 3}, shape(3), nodes(3)).groups.size(), 3U);
}

TEST(Division, SaysWhatDoesNotDivide) {
  EXPECT_EQ(refusal({3, 3}, shape(4), 4),
            "groups=3: 4 nodes cannot be divided evenly among 3 groups; use 6 nodes");
  EXPECT_EQ(
      refusal({2, 5}, shape(4), 4),
      "groups=2:5: a group has at least one node, and the step has 4; use 5 nodes, or at most 4 groups");
  EXPECT_THAT(refusal({2, 2}, shape(4), 3),
              HasSubstr("4 nodes are needed, but the job has only 3"));
  EXPECT_THAT(refusal({2, 2}, shape(4, std::nullopt), 4), HasSubstr("give --ntasks-per-node"));
}

TEST(Division, RefusesNodesThatTheUserChose) {
  auto chosen = shape(4);
  chosen.fixed = true;
  EXPECT_THAT(refusal({2, 2}, chosen, 4), HasSubstr("leave --nodelist"));
}

}  // namespace
}  // namespace muster::groups
