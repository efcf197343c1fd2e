#include "core/slow/wall_clock.hpp"

#include <gtest/gtest.h>

namespace muster::slow {
namespace {

using namespace std::chrono_literals;

TEST(SlowWallClock, IsConvertedBetweenTwoReadings) {
  WallClock clock;
  EXPECT_FALSE(clock.read(1000s, 10s));
  EXPECT_FALSE(clock.monotonic(1000s));  // one reading does not show whether it is being set
  EXPECT_FALSE(clock.read(1005s, 15s));
  EXPECT_EQ(clock.monotonic(1002s), std::optional<WallClock::Time>(12s));
  EXPECT_EQ(clock.monotonic(990s), std::optional<WallClock::Time>(0s));
  EXPECT_FALSE(clock.monotonic(1006s));
}

TEST(SlowWallClock, MayRunALittleFastOrSlow) {
  WallClock clock;
  clock.read(1000s, 10s);
  EXPECT_FALSE(clock.read(1010s + 5ms, 20s));
  EXPECT_EQ(clock.monotonic(1010s + 5ms), std::optional<WallClock::Time>(20s));
  EXPECT_NEAR(static_cast<double>(clock.monotonic(1005s)->count()), 14.9975e9, 1e5);
}

TEST(SlowWallClock, HasNoTimesOfBeforeItWasSet) {
  for (const std::chrono::nanoseconds jump : {-3600s, -1s, 1s, 86400s}) {
    WallClock clock;
    clock.read(100'000s, 10s);
    clock.read(100'005s, 15s);
    EXPECT_TRUE(clock.read(100'010s + jump, 20s));
    EXPECT_FALSE(clock.monotonic(100'008s + std::min(jump, std::chrono::nanoseconds(0))));
    EXPECT_FALSE(clock.read(100'015s + jump, 25s));
    EXPECT_EQ(clock.monotonic(100'012s + jump), std::optional<WallClock::Time>(22s));
  }
}

}  // namespace
}  // namespace muster::slow
