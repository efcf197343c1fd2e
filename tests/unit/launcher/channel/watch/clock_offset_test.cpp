#include "launcher/channel/watch/clock_offset.hpp"

#include <random>

#include <gtest/gtest.h>

namespace muster::watch {
namespace {

using namespace std::chrono_literals;
using Duration = ClockOffset::Duration;

TEST(ClockOffsetTest, KnowsNothingWithoutASample) {
  EXPECT_FALSE(ClockOffset().at(5s));
}

TEST(ClockOffsetTest, IsWrongByAtMostHalfTheWay) {
  ClockOffset clock;
  clock.add(10s, 10s + 4ms, 110s + 1ms);  // the way there took 1 ms, the way back 3 ms
  const auto estimate = clock.at(10s + 4ms);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->offset, 100s - 1ms);
  EXPECT_EQ(estimate->error, 2ms + 1ns);
}

TEST(ClockOffsetTest, PrefersTheQuickestAnswer) {
  ClockOffset clock;
  clock.add(10s, 11s, 110s);
  clock.add(12s, 12s + 1ms, 112s);
  clock.add(13s, 14s, 113s);
  EXPECT_LT(clock.at(14s)->error, 1ms);
}

TEST(ClockOffsetTest, TrustsAnOldSampleLess) {
  ClockOffset clock;
  clock.add(10s, 10s + 2ms, 110s);
  EXPECT_EQ(clock.at(10s + 2ms)->error, 1ms + 1ns);
  EXPECT_EQ(clock.at(20s + 2ms)->error, 2ms + 1ns);
  EXPECT_EQ(clock.at(2ms)->error, 2ms + 1ns);  // also for what happened before it
}

TEST(ClockOffsetTest, TakesNoAnswerFromBeforeItsQuestion) {
  ClockOffset clock;
  clock.add(10s, 9s, 110s);
  EXPECT_FALSE(clock.at(10s));
}

// A clock that is hours off and runs 100 ppm fast, over paths with varying delays: the truth is always within
// the error.
TEST(ClockOffsetTest, HoldsTheTruthWithinItsErrorForSkewedAndDriftingClocks) {
  std::mt19937 random(7);
  std::uniform_int_distribution<Duration::rep> way(10'000, 5'000'000);
  for (const double rate : {0.9999, 1.0, 1.0001}) {
    const auto theirs = [&](Duration ours) {
      return -7h + Duration(static_cast<Duration::rep>(rate * static_cast<double>(ours.count())));
    };
    ClockOffset clock;
    for (Duration now = 100s; now < 400s; now += 3333ms) {
      const auto there = now + Duration(way(random));
      const auto back = there + Duration(way(random));
      clock.add(now, back, theirs(there));
      for (const auto moment : {back, back + 3s, back - 1s}) {
        const auto estimate = clock.at(moment);
        EXPECT_LE(std::chrono::abs(moment + estimate->offset - theirs(moment)),
                  estimate->error + 2ns);
      }
    }
  }
}

}  // namespace
}  // namespace muster::watch
