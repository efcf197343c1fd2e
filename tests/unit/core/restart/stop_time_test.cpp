#include "core/restart/stop_time.hpp"

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using namespace std::chrono_literals;

const std::chrono::system_clock::time_point start{1000h};
const slurm::Job an_hour{.start = start, .end = start + 1h};

TEST(StopTime, ComesAsLongAsEnoughOfTheJobIsLeft) {
  EXPECT_EQ(stop_time(10min, an_hour, start), StopTime::comes);
  EXPECT_EQ(stop_time(10min, an_hour, start + 49min), StopTime::comes);
}

TEST(StopTime, IsOverForAStepInTheJobsLastMinutes) {
  EXPECT_EQ(stop_time(10min, an_hour, start + 50min), StopTime::is_over);
  EXPECT_EQ(stop_time(10min, an_hour, start + 61min), StopTime::is_over);
}

TEST(StopTime, NeverComesInAJobThatIsShorter) {
  EXPECT_EQ(stop_time(1h, an_hour, start), StopTime::never_comes);
  EXPECT_EQ(stop_time(2h, an_hour, start + 59min), StopTime::never_comes);
  EXPECT_EQ(stop_time(10min, {.end = start}, start), StopTime::never_comes);
}

}  // namespace
}  // namespace muster::restart
