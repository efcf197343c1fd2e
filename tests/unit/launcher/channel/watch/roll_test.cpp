#include "launcher/channel/watch/roll.hpp"

#include "core/error.hpp"

#include <gtest/gtest.h>

namespace muster::watch {
namespace {

using namespace std::chrono_literals;
using report::NodeState;

constexpr report::Moment now{.time = 100s, .error = {}};

Hello hello(std::vector<std::uint32_t> ranks, std::uint32_t of = 8) {
  Hello hello{.step = "42.0", .node = "node", .ranks = {}, .started = {}, .ranks_of_step = of};
  for (const auto rank : ranks) hello.ranks.push_back({rank, 0, 1000 + rank});
  return hello;
}

report::RankEnd failure(std::uint32_t rank, std::chrono::seconds time, bool victim = false) {
  report::RankEnd end;
  end.place.rank = rank;
  end.wait_status = 256;
  end.time.time = time;
  end.ended_by_muster = victim;
  end.exception = {.message = "RuntimeError", .traceback = "somewhere", .time = {}};
  end.last_lines = {"a line"};
  return end;
}

class RollTest : public testing::Test {
 protected:
  RollTest() {
    roll_.admit(0, 2);
    roll_.hello(0, hello({0, 1, 2, 3}));
    roll_.hello(1, hello({4, 5, 6, 7}));
  }

  std::vector<std::uint32_t> ranks_with_text() const {
    std::vector<std::uint32_t> ranks;
    for (const auto& end : roll_.seen().ends) {
      if (end.exception) ranks.push_back(end.place.rank);
      EXPECT_EQ(end.exception.has_value(), !end.last_lines.empty());
    }
    return ranks;
  }

  Roll roll_{2};
};

TEST(RollAdmitTest, TakesTheNodesOfOneStep) {
  Roll roll(2);
  EXPECT_FALSE(roll.complete());
  EXPECT_FALSE(roll.admit(0, 0));
  EXPECT_FALSE(roll.admit(0, max_nodes + 1));
  EXPECT_TRUE(roll.admit(4095, 4096));
  EXPECT_FALSE(roll.admit(4096, 4096));
  EXPECT_FALSE(roll.admit(0, 4095));
  EXPECT_EQ(roll.seen().nodes.size(), 4096U);
}

TEST_F(RollTest, TakesEachEndOnce) {
  EXPECT_TRUE(roll_.ended(0, failure(3, 5s), now));
  EXPECT_FALSE(roll_.ended(0, failure(3, 4s), now));
  EXPECT_EQ(roll_.seen().ends.size(), 1U);
  EXPECT_EQ(roll_.seen().ends[0].time.time, 5s);
}

TEST_F(RollTest, TakesNoRankOfAnotherNode) {
  EXPECT_THROW(roll_.ended(0, failure(4, 5s), now), Error);
  EXPECT_THROW(roll_.ended(0, failure(8, 5s), now), Error);
  EXPECT_THROW(roll_.ended(0, failure(0xFFFFFFFF, 5s), now), Error);
  EXPECT_THROW(roll_.stuck(0, {{3, 4}}), Error);
  EXPECT_THROW(roll_.hangs(0, {4, ""}), Error);
  EXPECT_NO_THROW(roll_.hangs(1, {4, ""}));
  EXPECT_THROW(roll_.hello(0, hello({0, 4})), Error);
  EXPECT_THROW(roll_.hello(0, hello({8})), Error);
  EXPECT_THROW(roll_.hello(0, hello({0}, 9)), Error);
  EXPECT_TRUE(roll_.seen().ends.empty());
}

TEST_F(RollTest, KnowsNoStartOfTasksThatHaveNoProcessesYet) {
  Roll roll(2);
  roll.admit(0, 2);
  auto early = hello({0, 1});
  for (auto& place : early.ranks) place.pid = 0;
  early.agent = report::AgentTimes{};
  roll.hello(0, early);
  EXPECT_FALSE(roll.seen().nodes[0].started);
  EXPECT_FALSE(roll.seen().nodes[0].agent);
  auto later = hello({0, 1});
  later.agent = report::AgentTimes{{1ns, {}}, {2ns, {}}, {3ns, {}}};
  roll.hello(0, later);
  EXPECT_TRUE(roll.seen().nodes[0].started);
  EXPECT_EQ(roll.seen().nodes[0].agent, later.agent);
}

TEST_F(RollTest, KnowsProcessesFromALaterHello) {
  roll_.hello(0, hello({0, 1, 2, 3}));
  EXPECT_EQ(roll_.seen().nodes[0].tasks, 4U);
}

TEST_F(RollTest, KeepsTheTextsOfTheFirstFailures) {
  roll_.ended(1, failure(4, 7s), now);
  roll_.ended(1, failure(5, 6s), now);
  roll_.ended(0, failure(0, 5s), now);  // a slower connection, the earlier failure
  EXPECT_EQ(ranks_with_text(), (std::vector<std::uint32_t>{5, 0}));
  roll_.ended(1, failure(6, 9s), now);
  EXPECT_EQ(ranks_with_text(), (std::vector<std::uint32_t>{5, 0}));
}

TEST_F(RollTest, KeepsNoVictimsTextWhereAFailureHasOne) {
  roll_.ended(1, failure(4, 1s, true), now);
  roll_.ended(1, failure(5, 2s, true), now);
  roll_.ended(0, failure(0, 5s), now);
  EXPECT_EQ(ranks_with_text(), (std::vector<std::uint32_t>{4, 0}));
}

// The rank that the others lost may end long after them.
TEST_F(RollTest, KeepsTheTextOfARankThatBlamesNobodyBeforeThoseThatDo) {
  for (const std::uint32_t rank : {4, 5, 6}) {
    auto end = failure(rank, std::chrono::seconds(rank));
    end.exception->message = "RuntimeError: Connection closed by peer";
    roll_.ended(1, end, now);
  }
  roll_.ended(0, failure(0, 9s), now);
  EXPECT_EQ(ranks_with_text(), (std::vector<std::uint32_t>{4, 0}));
  EXPECT_TRUE(roll_.seen().ends[1].blamed_peer);
  EXPECT_FALSE(roll_.seen().ends[3].blamed_peer);
}

TEST_F(RollTest, KeepsNoTextOfASuccess) {
  auto end = failure(0, 5s);
  end.wait_status = 0;
  roll_.ended(0, end, now);
  EXPECT_TRUE(ranks_with_text().empty());
}

TEST_F(RollTest, BelievesNoEndThatIsStillToCome) {
  roll_.ended(0, failure(0, 500s), now);
  EXPECT_EQ(roll_.seen().ends[0].time.time, now.time);
}

TEST_F(RollTest, IsCompleteAlsoWhereOnlyRanksAreLeftThatNothingEnds) {
  roll_.set_state(0, NodeState::watched);
  roll_.set_state(1, NodeState::done);
  EXPECT_FALSE(roll_.complete());
  roll_.stuck(0, {{2}});
  EXPECT_TRUE(roll_.complete());
}

TEST_F(RollTest, IsCompleteWhenNoNodeMaySayMore) {
  EXPECT_TRUE(roll_.set_state(0, NodeState::watched));
  EXPECT_FALSE(roll_.set_state(0, NodeState::watched));
  roll_.set_state(1, NodeState::lost);
  EXPECT_FALSE(roll_.complete());
  roll_.set_state(0, NodeState::done);
  EXPECT_TRUE(roll_.complete());
}

}  // namespace
}  // namespace muster::watch
