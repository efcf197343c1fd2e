#include "launcher/channel/watch/silences.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::watch {
namespace {

using namespace std::chrono_literals;

OwnSleep::Time at(std::chrono::milliseconds time) {
  return OwnSleep::Time(1h) + time;
}

TEST(OwnSleep, IsTheTimeInWhichNobodyWokeIt) {
  OwnSleep sleep(10s);
  sleep.start(at(0s));
  EXPECT_EQ(sleep.next(at(0s)), at(2500ms));
  EXPECT_EQ(sleep.look(at(2500ms)), 0s);
  EXPECT_EQ(sleep.look(at(7400ms)), 0s) << "a machine that has much to do";
  EXPECT_EQ(sleep.look(at(34'900ms)), 25s);
  EXPECT_EQ(sleep.look(at(35s)), 0s);
}

TEST(OwnSleep, IsUnknownWhileNobodyIsToWakeIt) {
  OwnSleep sleep(10s);
  EXPECT_EQ(sleep.look(at(100s)), 0s);
  sleep.start(at(200s));
  sleep.start(at(203s));
  EXPECT_EQ(sleep.look(at(210s)), 7500ms) << "counted from the first start";
  sleep.rest();
  EXPECT_EQ(sleep.look(at(900s)), 0s);
}

TEST(OwnSide, IsSilentWhereAllNodesFallSilentAtOnce) {
  const std::vector heard{at(100s), at(100'900ms), at(99'800ms)};
  EXPECT_TRUE(is_own_side(heard, 10s));
}

TEST(OwnSide, IsNotSilentWhereOneNodeWasHeardLater) {
  const std::vector heard{at(100s), at(111s)};
  EXPECT_FALSE(is_own_side(heard, 10s));
}

TEST(OwnSide, IsNotToBeToldFromASingleNode) {
  EXPECT_FALSE(is_own_side(std::vector{at(100s)}, 10s));
  EXPECT_FALSE(is_own_side({}, 10s));
}

}  // namespace
}  // namespace muster::watch
