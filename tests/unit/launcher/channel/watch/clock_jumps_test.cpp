#include "launcher/channel/watch/clock_jumps.hpp"

#include <gtest/gtest.h>

namespace muster::watch {
namespace {

using namespace std::chrono_literals;

ClockJumps seen_at_zero() {
  ClockJumps jumps(5s);
  EXPECT_EQ(jumps.look({0s, 100s, 5000s}), 0s);
  return jumps;
}

TEST(ClockJumps, AreNoneWhereAllClocksGoOn) {
  auto jumps = seen_at_zero();
  EXPECT_EQ(jumps.look({1s, 101s, 5001s}), 0s);
  EXPECT_EQ(jumps.look({3601s, 3701s, 8601s}), 0s) << "a sleep that the monotonic clock has seen";
}

TEST(ClockJumps, ShowASuspend) {
  auto jumps = seen_at_zero();
  EXPECT_EQ(jumps.look({1s, 161s, 5061s}), 60s);
  EXPECT_EQ(jumps.look({2s, 162s, 5062s}), 0s);
}

TEST(ClockJumps, ShowAMigrationAfterWhichTheWallClockIsSet) {
  auto jumps = seen_at_zero();
  EXPECT_EQ(jumps.look({1s, 101s, 5021s}), 20s);
}

TEST(ClockJumps, AreNotWhatATimeServerCorrects) {
  auto jumps = seen_at_zero();
  EXPECT_EQ(jumps.look({1s, 101s, 5005s}), 0s);
  EXPECT_EQ(jumps.look({2s, 102s, 4000s}), 0s) << "set back";
}

TEST(ClockJumps, ReadClocksThatGoOn) {
  const auto one = ClockJumps::read();
  const auto other = ClockJumps::read();
  EXPECT_GT(one.monotonic, 0s);
  EXPECT_GE(other.monotonic, one.monotonic);
  EXPECT_GE(one.boot, one.monotonic);
  EXPECT_GT(one.wall, 0s);
}

}  // namespace
}  // namespace muster::watch
