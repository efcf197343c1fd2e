#include "launcher/agent/rendezvous/groups.hpp"

#include <gtest/gtest.h>

namespace muster::rendezvous {
namespace {

constexpr std::size_t many = 1'000'000;  // descriptors

TEST(Groups, AreNoneWhereTheLeaderHasRoomForAll) {
  for (const std::size_t members : {1U, 31U, 16384U}) {
    const auto groups = groups_of(members, std::nullopt, many);
    EXPECT_EQ(groups.relays, 0U) << members;
    EXPECT_GE(groups.direct, members);
  }
}

TEST(Groups, HaveRoomForAllMembers) {
  for (const std::size_t members : {513U, 1023U, 16383U, 99999U}) {
    const auto groups = groups_of(members, std::nullopt, 1024);
    EXPECT_GE(groups.relays * (groups.size + 1), members);
    EXPECT_LT(groups.relays, 400U);
    EXPECT_LT(groups.size, 400U);
  }
}

TEST(Groups, BeginEarlierWhereTheLeaderMayOpenLess) {
  EXPECT_EQ(groups_of(2000, std::nullopt, 4096).relays, 0U);
  EXPECT_GT(groups_of(2000, std::nullopt, 1024).relays, 0U);
  EXPECT_EQ(groups_of(400, std::nullopt, 1024).relays, 0U);
}

TEST(Groups, AreAsLargeAsTheSiteSays) {
  EXPECT_EQ(groups_of(2, 2, many).relays, 0U);
  EXPECT_EQ(groups_of(5, 2, many).relays, 2U);
  EXPECT_EQ(groups_of(5, 2, many).size, 2U);
  EXPECT_EQ(groups_of(16383, 1'000'000, many).relays, 0U);
}

}  // namespace
}  // namespace muster::rendezvous
