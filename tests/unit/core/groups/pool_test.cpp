#include "core/groups/pool.hpp"

#include "core/record/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::groups {
namespace {

using testing::ElementsAre;
using Names = std::vector<std::string>;

Pool pool() {
  return {.nodes = {{"n0", 0, {}}, {"n1", 1, {}}, {"n2", {}, {}}}};
}

Names open_names(const Pool& pool, std::uint32_t group) {
  Names names;
  for (const auto& node : open_to(pool, group)) names.push_back(node.name);
  return names;
}

TEST(Pool, AGroupMayTakeWhatItHasAndWhatIsFree) {
  EXPECT_THAT(open_names(pool(), 0), ElementsAre("n0", "n2"));
  EXPECT_THAT(nodes_of(pool(), 0), ElementsAre("n0"));
}

TEST(Pool, WhatAGroupTakesIsNoLongerFree) {
  auto nodes = pool();
  EXPECT_TRUE(take(nodes, 0, Names{"n2"}));
  EXPECT_THAT(nodes_of(nodes, 0), ElementsAre("n2"));
  EXPECT_THAT(open_names(nodes, 1), ElementsAre("n0", "n1"));
}

TEST(Pool, ANodeOfAnotherGroupCannotBeTaken) {
  auto nodes = pool();
  EXPECT_FALSE(take(nodes, 0, Names{"n2", "n1"}));
  EXPECT_EQ(nodes, pool());
}

TEST(Pool, ALostNodeIsKnownToOthersUntilItIsUsedAgain) {
  auto nodes = pool();
  lose(nodes, 0, "n0", Moment(5));
  ASSERT_TRUE(take(nodes, 0, Names{"n2"}));
  EXPECT_EQ(nodes.nodes[0].group, std::nullopt);
  EXPECT_EQ(nodes.nodes[0].lost_at, Moment(5));
  ASSERT_TRUE(take(nodes, 1, Names{"n0"}));
  EXPECT_EQ(nodes.nodes[0].lost_at, std::nullopt);
}

TEST(Pool, ANodeThatAnotherGroupUsesIsNotLost) {
  auto nodes = pool();
  lose(nodes, 0, "n1", Moment(5));
  EXPECT_EQ(nodes, pool());
}

TEST(Pool, AFreeNodeMayBeLost) {
  auto nodes = pool();
  lose(nodes, 0, "n2", Moment(5));
  EXPECT_EQ(nodes.nodes[2].lost_at, Moment(5));
}

TEST(Pool, DoesNotHaveANodeThatHasLeftTheJob) {
  auto nodes = pool();
  remove(nodes, Names{"n0", "n7"});
  EXPECT_THAT(open_names(nodes, 0), ElementsAre("n2"));
}

TEST(Pool, DrainedNodesAreThoseOfTheLastAnswer) {
  auto nodes = pool();
  set_drained(nodes, Names{"n0"});
  EXPECT_THAT(drained_of(nodes, 0), ElementsAre("n0"));
  set_drained(nodes, Names{"n1", "n2"});
  EXPECT_THAT(drained_of(nodes, 0), ElementsAre());
  EXPECT_THAT(drained_of(nodes, 1), ElementsAre("n1"));
}

TEST(Pool, OneFreeNodeLetsOneGroupLeave) {
  auto nodes = pool();
  set_drained(nodes, Names{"n0", "n1"});
  EXPECT_TRUE(leave_drained(nodes, 0, 1));
  const auto before = nodes;
  EXPECT_FALSE(leave_drained(nodes, 1, 1));
  EXPECT_EQ(nodes, before);
  EXPECT_TRUE(leave_drained(nodes, 1, 2));
}

TEST(Pool, AGroupThatHasLeftNeedsNoFurtherNode) {
  for (const bool ends : {false, true}) {
    auto nodes = pool();
    set_drained(nodes, Names{"n0", "n1"});
    ASSERT_TRUE(leave_drained(nodes, 0, 1));
    if (ends) {
      let_go(nodes, 0);
    } else {
      ASSERT_TRUE(take(nodes, 0, Names{"n2"}));
    }
    EXPECT_TRUE(leave_drained(nodes, 1, 1));
  }
}

TEST(Pool, LearnsOfNodesThatTheJobGains) {
  auto nodes = pool();
  EXPECT_TRUE(take(nodes, 1, Names{"n1", "n9"}));
  EXPECT_THAT(nodes_of(nodes, 1), ElementsAre("n1", "n9"));
  let_go(nodes, 1);
  EXPECT_THAT(open_names(nodes, 0), ElementsAre("n0", "n1", "n2", "n9"));
}

Pool parts() {
  return {.nodes = {{"n0", 0, {}}, {"n0", 1, {}}, {"n1", {}, {}}, {"n1", {}, {}}}, .parts = 2};
}

TEST(Pool, GroupsShareTheNodesThatHaveParts) {
  auto nodes = parts();
  EXPECT_TRUE(take(nodes, 0, Names{"n1"}));
  EXPECT_TRUE(take(nodes, 1, Names{"n1"}));
  EXPECT_FALSE(take(nodes, 2, Names{"n1"}));
  EXPECT_TRUE(take(nodes, 2, Names{"n0"}));
  EXPECT_THAT(open_names(nodes, 2), ElementsAre("n0", "n0"));
}

TEST(Pool, AGroupThatStaysKeepsItsPart) {
  auto nodes = parts();
  EXPECT_TRUE(take(nodes, 1, Names{"n0"}));
  EXPECT_EQ(nodes, parts());
}

TEST(Pool, TheFreePartsOfALostNodeAreLostToo) {
  auto nodes = parts();
  let_go(nodes, 1);
  lose(nodes, 0, "n0", Moment(5));
  EXPECT_EQ(nodes.nodes[1].lost_at, Moment(5));
  nodes = parts();
  lose(nodes, 0, "n0", Moment(5));
  EXPECT_EQ(nodes.nodes[1].lost_at, std::nullopt);
}

TEST(Pool, ANodeThatTheJobGainsHasAllItsParts) {
  auto nodes = parts();
  EXPECT_TRUE(take(nodes, 0, Names{"n9"}));
  EXPECT_TRUE(take(nodes, 1, Names{"n9"}));
  EXPECT_FALSE(take(nodes, 2, Names{"n9"}));
}

TEST(Pool, ComesBackFromItsText) {
  auto nodes = pool();
  lose(nodes, 1, "n1", Moment(7));
  set_drained(nodes, Names{"n0"});
  ASSERT_TRUE(leave_drained(nodes, 0, 1));
  nodes.short_of_nodes = {1};
  EXPECT_EQ(record::read<Pool>(record::write(nodes)), nodes);
}

}  // namespace
}  // namespace muster::groups
