#include "launcher/agent/ranks/ending.hpp"

#include <gtest/gtest.h>

namespace muster::ranks {
namespace {

using namespace std::chrono_literals;
using Act = Ending::Act;

const Ending::Time start{100s};

TEST(Ending, DoesNothingBeforeItBegins) {
  Ending ending;
  EXPECT_FALSE(ending.begun());
  EXPECT_FALSE(ending.next());
  EXPECT_FALSE(ending.due(start));
}

TEST(Ending, AsksAtOnceAndKillsAfterTheGrace) {
  Ending ending;
  ending.begin(start, 30s);
  EXPECT_EQ(ending.next(), start);
  EXPECT_EQ(ending.due(start), Act::terminate);
  EXPECT_EQ(ending.next(), start + 30s);
  EXPECT_FALSE(ending.due(start + 29s));
  EXPECT_FALSE(ending.kills());
  EXPECT_EQ(ending.due(start + 30s), Act::kill);
  EXPECT_TRUE(ending.kills());
}

TEST(Ending, AsksAlsoWithoutAGrace) {
  Ending ending;
  ending.begin(start, 0s);
  EXPECT_EQ(ending.due(start), Act::terminate);
  EXPECT_EQ(ending.due(start), Act::kill);
}

TEST(Ending, KillsAgainUntilItGivesUpTwoSecondsLater) {
  Ending ending;
  ending.begin(start, 1s);
  ending.due(start);
  std::size_t kills = 0;
  auto act = ending.due(*ending.next());
  for (; act == Act::kill; act = ending.due(*ending.next())) ++kills;
  EXPECT_GT(kills, 1U);
  EXPECT_EQ(act, Act::give_up);
  EXPECT_FALSE(ending.next());
  EXPECT_FALSE(ending.due(start + 100s));
}

TEST(Ending, GivesUpNoEarlierThanTwoSecondsAfterTheFirstKill) {
  Ending ending;
  ending.begin(start, 1s);
  ending.due(start);
  for (auto now = start; now < start + 3s; now += 1ms) EXPECT_NE(ending.due(now), Act::give_up);
  EXPECT_EQ(ending.due(start + 3s), Act::give_up);
}

TEST(Ending, CountsAnotherGraceFromTheFirstTime) {
  Ending ending;
  ending.begin(start, 30s);
  ending.due(start);
  ending.begin(start + 2s, 5s);  // the supervisor has learnt KillWait
  EXPECT_EQ(ending.next(), start + 5s);
  ending.begin(start + 4s, 5s);  // repeated on another connection
  EXPECT_EQ(ending.next(), start + 5s);
  ending.begin(start + 4s, 60s);
  EXPECT_EQ(ending.next(), start + 60s);
  EXPECT_FALSE(ending.due(start + 59s));
}

TEST(Ending, IsNotHeldUpByAnotherGraceOnceItKills) {
  Ending ending;
  ending.begin(start, 0s);
  ending.due(start);
  ending.due(start);
  ending.begin(start, 60s);
  EXPECT_LT(*ending.next(), start + 1s);
}

}  // namespace
}  // namespace muster::ranks
