#include "launcher/channel/watch/node_registry.hpp"

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
    registry_.admit(0, 2);
    registry_.hello(0, hello({0, 1, 2, 3}));
    registry_.hello(1, hello({4, 5, 6, 7}));
  }

  std::vector<std::uint32_t> ranks_with_text() const {
    std::vector<std::uint32_t> ranks;
    for (const auto& end : registry_.seen().ends) {
      if (end.exception) ranks.push_back(end.place.rank);
      EXPECT_EQ(end.exception.has_value(), !end.last_lines.empty());
    }
    return ranks;
  }

  NodeRegistry registry_{2};
};

TEST(RollAdmitTest, TakesTheNodesOfOneStep) {
  NodeRegistry registry(2);
  EXPECT_FALSE(registry.complete());
  EXPECT_FALSE(registry.admit(0, 0));
  EXPECT_FALSE(registry.admit(0, max_nodes + 1));
  EXPECT_TRUE(registry.admit(4095, 4096));
  EXPECT_FALSE(registry.admit(4096, 4096));
  EXPECT_FALSE(registry.admit(0, 4095));
  EXPECT_EQ(registry.seen().nodes.size(), 4096U);
}

TEST_F(RollTest, TakesEachEndOnce) {
  EXPECT_TRUE(registry_.ended(0, failure(3, 5s), now));
  EXPECT_FALSE(registry_.ended(0, failure(3, 4s), now));
  EXPECT_EQ(registry_.seen().ends.size(), 1U);
  EXPECT_EQ(registry_.seen().ends[0].time.time, 5s);
}

TEST_F(RollTest, TakesNoRankOfAnotherNode) {
  EXPECT_THROW(registry_.ended(0, failure(4, 5s), now), Error);
  EXPECT_THROW(registry_.ended(0, failure(8, 5s), now), Error);
  EXPECT_THROW(registry_.ended(0, failure(0xFFFFFFFF, 5s), now), Error);
  EXPECT_THROW(registry_.stuck(0, {{3, 4}}), Error);
  EXPECT_THROW(registry_.hangs(0, {4, ""}), Error);
  EXPECT_NO_THROW(registry_.hangs(1, {4, ""}));
  EXPECT_THROW(registry_.hello(0, hello({0, 4})), Error);
  EXPECT_THROW(registry_.hello(0, hello({8})), Error);
  EXPECT_THROW(registry_.hello(0, hello({0}, 9)), Error);
  EXPECT_TRUE(registry_.seen().ends.empty());
}

TEST_F(RollTest, KnowsNoStartOfTasksThatHaveNoProcessesYet) {
  NodeRegistry registry(2);
  registry.admit(0, 2);
  auto early = hello({0, 1});
  for (auto& place : early.ranks) place.pid = 0;
  early.agent = report::AgentTimes{};
  registry.hello(0, early);
  EXPECT_FALSE(registry.seen().nodes[0].started);
  EXPECT_FALSE(registry.seen().nodes[0].agent);
  auto later = hello({0, 1});
  later.agent = report::AgentTimes{{1ns, {}}, {2ns, {}}, {3ns, {}}};
  registry.hello(0, later);
  EXPECT_TRUE(registry.seen().nodes[0].started);
  EXPECT_EQ(registry.seen().nodes[0].agent, later.agent);
}

TEST_F(RollTest, KnowsProcessesFromALaterHello) {
  registry_.hello(0, hello({0, 1, 2, 3}));
  EXPECT_EQ(registry_.seen().nodes[0].tasks, 4U);
}

TEST_F(RollTest, KeepsTheTextsOfTheFirstFailures) {
  registry_.ended(1, failure(4, 7s), now);
  registry_.ended(1, failure(5, 6s), now);
  registry_.ended(0, failure(0, 5s), now);  // a slower connection, the earlier failure
  EXPECT_EQ(ranks_with_text(), (std::vector<std::uint32_t>{5, 0}));
  registry_.ended(1, failure(6, 9s), now);
  EXPECT_EQ(ranks_with_text(), (std::vector<std::uint32_t>{5, 0}));
}

TEST_F(RollTest, KeepsNoVictimsTextWhereAFailureHasOne) {
  registry_.ended(1, failure(4, 1s, true), now);
  registry_.ended(1, failure(5, 2s, true), now);
  registry_.ended(0, failure(0, 5s), now);
  EXPECT_EQ(ranks_with_text(), (std::vector<std::uint32_t>{4, 0}));
}

// The rank that the others lost may end long after them.
TEST_F(RollTest, KeepsTheTextOfARankThatBlamesNobodyBeforeThoseThatDo) {
  for (const std::uint32_t rank : {4, 5, 6}) {
    auto end = failure(rank, std::chrono::seconds(rank));
    end.exception->message = "RuntimeError: Connection closed by peer";
    registry_.ended(1, end, now);
  }
  registry_.ended(0, failure(0, 9s), now);
  EXPECT_EQ(ranks_with_text(), (std::vector<std::uint32_t>{4, 0}));
  EXPECT_TRUE(registry_.seen().ends[1].blamed_peer);
  EXPECT_FALSE(registry_.seen().ends[3].blamed_peer);
}

TEST_F(RollTest, KeepsNoTextOfASuccess) {
  auto end = failure(0, 5s);
  end.wait_status = 0;
  registry_.ended(0, end, now);
  EXPECT_TRUE(ranks_with_text().empty());
}

TEST_F(RollTest, BelievesNoEndThatIsStillToCome) {
  registry_.ended(0, failure(0, 500s), now);
  EXPECT_EQ(registry_.seen().ends[0].time.time, now.time);
}

TEST_F(RollTest, IsCompleteAlsoWhereOnlyRanksAreLeftThatNothingEnds) {
  registry_.set_state(0, NodeState::watched);
  registry_.set_state(1, NodeState::done);
  EXPECT_FALSE(registry_.complete());
  registry_.stuck(0, {{2}});
  EXPECT_TRUE(registry_.complete());
}

TEST_F(RollTest, IsCompleteWhenNoNodeMaySayMore) {
  EXPECT_TRUE(registry_.set_state(0, NodeState::watched));
  EXPECT_FALSE(registry_.set_state(0, NodeState::watched));
  registry_.set_state(1, NodeState::lost);
  EXPECT_FALSE(registry_.complete());
  registry_.set_state(0, NodeState::done);
  EXPECT_TRUE(registry_.complete());
}

}  // namespace
}  // namespace muster::watch
