#include "core/restart/stop_time.hpp"

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::system_clock::time_point now{1'800'000'000s};

std::optional<slurm::Job> ends_in(std::chrono::seconds time, const char* state = "RUNNING") {
  slurm::Job job;
  job.state = state;
  job.end = now + time;
  return job;
}

TEST(StopTime, FollowsALimitThatIsShortenedOrExtended) {
  EXPECT_EQ(stop_time(ends_in(1h), 10h, 5min, now), (StopTime{55min, 2min}));
  EXPECT_EQ(stop_time(ends_in(24h), 10s, 5min, now), (StopTime{24h - 5min, 2min}));
}

TEST(StopTime, IsNowIfTheLimitHasBecomeShorterThanStop) {
  const auto time = stop_time(ends_in(1min), 10h, 5min, now);
  ASSERT_TRUE(time.stop);
  EXPECT_LE(*time.stop, 0s);
}

TEST(StopTime, StaysAsItWasWhileSlurmDoesNotAnswer) {
  EXPECT_EQ(stop_time(std::nullopt, 3min, 5min, now), (StopTime{3min, 2min}));
  EXPECT_EQ(stop_time(std::nullopt, 0s, 5min, now), (StopTime{0s, 2min}));
}

TEST(StopTime, IsAnnouncedWithWhatIsLeftOfTheJob) {
  EXPECT_EQ(time_left(ends_in(298s), 5min, now), 5min) << "Slurm's times are not that accurate";
  EXPECT_EQ(time_left(ends_in(40s), 5min, now), 40s);
  EXPECT_EQ(time_left(ends_in(-3s), 5min, now), 0s);
  EXPECT_EQ(time_left(std::nullopt, 5min, now), 5min);
}

TEST(StopTime, IsNoneWithoutALimitButOneMayBeSetLater) {
  EXPECT_EQ(stop_time(slurm::Job{.state = "RUNNING"}, 3min, 5min, now),
            (StopTime{std::nullopt, 2min}));
}

TEST(StopTime, OfASuspendedJobWaitsUntilItRuns) {
  EXPECT_EQ(stop_time(ends_in(1min, "SUSPENDED"), 0s, 5min, now), (StopTime{std::nullopt, 10s}));
  EXPECT_EQ(stop_time(ends_in(6min, "SUSPENDED"), 0s, 5min, now), (StopTime{std::nullopt, 1min}));
  EXPECT_EQ(stop_time(ends_in(9h, "SUSPENDED"), 0s, 5min, now), (StopTime{std::nullopt, 2min}));
}

}  // namespace
}  // namespace muster::restart
