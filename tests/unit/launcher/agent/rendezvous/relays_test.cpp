#include "launcher/agent/rendezvous/relays.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::rendezvous {
namespace {

Offer offer(Port port) {
  return {.port = port, .addresses = {asio::ip::make_address("127.0.0.1")}, .came = std::nullopt};
}

class RelaysTest : public testing::Test {
 protected:
  RelaysTest() {
    for (const layout::NodeIndex node : {1U, 2U}) {
      relays_.ask_one();
      relays_.listening(node, offer(static_cast<Port>(node)));
    }
  }

  Port next(layout::NodeIndex member, unsigned attempt = 0) {
    const auto found = relays_.next(member, attempt);
    return found ? found->port : Port{0};
  }

  Relays relays_{Groups{.relays = 2, .size = 2, .direct = 10, .passing = 1}};
};

TEST_F(RelaysTest, AreNotAskedForMoreThanAreWanted) {
  EXPECT_FALSE(relays_.ask_one());
  EXPECT_FALSE(relays_.some_to_come());
}

TEST_F(RelaysTest, GiveTheirPlaceToAnotherWhenTheyCannotListen) {
  Relays relays({.relays = 1, .size = 2, .direct = 10, .passing = 1});
  EXPECT_TRUE(relays.ask_one());
  EXPECT_TRUE(relays.some_to_come());
  EXPECT_FALSE(relays.ask_one());
  relays.failed();
  EXPECT_TRUE(relays.ask_one());
}

TEST_F(RelaysTest, TakeMembersInTurnsUntilTheirGroupsAreFull) {
  EXPECT_EQ(next(3), 1);
  EXPECT_EQ(next(4), 2);
  EXPECT_EQ(next(5), 1);
  EXPECT_EQ(next(6), 2);
  EXPECT_EQ(next(7), 0);
}

TEST_F(RelaysTest, TakeAMemberOfAnotherGroupThatComesBackAndNeverTheirOwn) {
  for (const layout::NodeIndex member : {3U, 4U, 5U, 6U}) next(member);
  EXPECT_EQ(next(3, 1), 2);
  EXPECT_EQ(next(4, 1), 1);
}

TEST_F(RelaysTest, TakeNobodyOnceTheyAreLostAndNameTheirMembers) {
  next(3);
  next(4);
  next(5);
  EXPECT_EQ(relays_.lost(1), (std::vector<layout::NodeIndex>{3, 5}));
  EXPECT_EQ(next(3, 1), 2);
  EXPECT_EQ(next(6), 0);
}

}  // namespace
}  // namespace muster::rendezvous
