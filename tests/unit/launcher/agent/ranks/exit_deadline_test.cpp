#include "launcher/agent/ranks/exit_deadline.hpp"

#include <gtest/gtest.h>

namespace muster::ranks {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t enough = ExitDeadline::least_bytes;

// A rank whose exception was raised at 0 s, and that is counted whenever it is due.
class ExitDeadlineTest : public testing::Test {
 protected:
  // Until `time`, writes so much before each count. Returns false once its time is over.
  bool writes_until(std::chrono::seconds time, std::int64_t bytes) {
    while (deadline_.next() <= start_ + time) {
      const auto now = deadline_.next();
      written_[1].by_calls += bytes;
      deadline_.count(now, written_);
      if (deadline_.is_over(now)) return false;
    }
    return true;
  }

  const ExitDeadline::Time start_{};
  ExitDeadline deadline_{start_, 10s};
  WrittenByProcess written_;
};

TEST_F(ExitDeadlineTest, IsTheTimeoutForARankThatOnlyHangs) {
  EXPECT_EQ(deadline_.next(), start_ + 2s);
  EXPECT_TRUE(writes_until(9s, 0));
  EXPECT_FALSE(deadline_.is_over(start_ + 9999ms));
  EXPECT_FALSE(writes_until(10s, 0));
  EXPECT_FALSE(deadline_.is_prolonged(start_ + 10s));
}

TEST_F(ExitDeadlineTest, CountsFromWhenTheRankLastWrote) {
  EXPECT_TRUE(writes_until(30s, enough));
  EXPECT_TRUE(deadline_.is_prolonged(start_ + 30s));
  EXPECT_TRUE(writes_until(38s, 0));
  EXPECT_FALSE(writes_until(40s, 0));
}

TEST_F(ExitDeadlineTest, IsNotProlongedBeforeTheTimeout) {
  EXPECT_TRUE(writes_until(8s, enough));
  EXPECT_FALSE(deadline_.is_prolonged(start_ + 8s));
}

TEST_F(ExitDeadlineTest, AddsUpWhatARankWritesSlowly) {
  EXPECT_TRUE(writes_until(60s, enough / 4));
  EXPECT_FALSE(writes_until(80s, enough / 8));
}

TEST_F(ExitDeadlineTest, IsTenMinutesForARankThatNeverStops) {
  EXPECT_TRUE(writes_until(599s, enough));
  EXPECT_FALSE(writes_until(600s, enough));
}

// A process that can be read only now may have written before the exception.
TEST_F(ExitDeadlineTest, IsNotProlongedByWhatWasWrittenBeforeTheFirstCount) {
  written_[1].by_calls = 100 * enough;
  EXPECT_FALSE(writes_until(10s, 0));
}

TEST(WrittenBetween, IsTheLargerCountOfAllProcesses) {
  const WrittenByProcess before{{1, {.by_calls = 100, .to_storage = 10}}, {2, {.by_calls = 50}}};
  EXPECT_EQ(written_between(before, before), 0);
  EXPECT_EQ(written_between(before, {{1, {.by_calls = 103, .to_storage = 30}}}), 20);
  EXPECT_EQ(
      written_between(before, {{1, {.by_calls = 103, .to_storage = 10}}, {3, {.by_calls = 7}}}),
      10);
  EXPECT_EQ(written_between(before, {{2, {.by_calls = 40}}}), 0);
}

}  // namespace
}  // namespace muster::ranks
