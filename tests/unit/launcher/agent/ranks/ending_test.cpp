#include "launcher/agent/ranks/ending.hpp"

#include <gtest/gtest.h>

namespace muster::ranks {
namespace {

using namespace std::chrono_literals;
using Act = Ending::Act;

const Ending::Time start{100s};

// When the first SIGKILL is due.
Ending::Time kill_time(Ending ending) {
  auto time = *ending.next();
  while (ending.due(time) != Act::kill) time = *ending.next();
  return time;
}

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
  EXPECT_EQ(kill_time(ending), start + 30s);
  EXPECT_FALSE(ending.due(start + 900ms));
  EXPECT_FALSE(ending.kills());
  EXPECT_EQ(ending.due(start + 30s), Act::kill);
  EXPECT_TRUE(ending.kills());
}

TEST(Ending, AsksAgainEachSecondUntilItKills) {
  Ending ending;
  ending.begin(start, 2500ms);
  for (const auto time : {start, start + 1s, start + 2s}) {
    EXPECT_EQ(ending.next(), time);
    EXPECT_EQ(ending.due(time), Act::terminate);
  }
  EXPECT_EQ(ending.next(), start + 2500ms);
  EXPECT_EQ(ending.due(start + 2500ms), Act::kill);
  EXPECT_NE(ending.due(start + 3s), Act::terminate);
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
  EXPECT_EQ(kill_time(ending), start + 5s);
  ending.begin(start + 4s, 5s);  // repeated on another connection
  EXPECT_EQ(kill_time(ending), start + 5s);
  ending.begin(start + 4s, 60s);
  EXPECT_EQ(kill_time(ending), start + 60s);
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
