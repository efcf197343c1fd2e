#include "core/restart/stop_reach.hpp"

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using namespace std::chrono_literals;

const std::chrono::system_clock::time_point start{1000h};
const slurm::Job an_hour{.start = start, .end = start + 1h};

TEST(StopReach, ComesAsLongAsEnoughOfTheJobIsLeft) {
  EXPECT_EQ(stop_reach(10min, an_hour, start), StopReach::comes);
  EXPECT_EQ(stop_reach(10min, an_hour, start + 49min), StopReach::comes);
}

TEST(StopReach, IsOverForAStepInTheJobsLastMinutes) {
  EXPECT_EQ(stop_reach(10min, an_hour, start + 50min), StopReach::is_over);
  EXPECT_EQ(stop_reach(10min, an_hour, start + 61min), StopReach::is_over);
}

TEST(StopReach, NeverComesInAJobThatIsShorter) {
  EXPECT_EQ(stop_reach(1h, an_hour, start), StopReach::never_comes);
  EXPECT_EQ(stop_reach(2h, an_hour, start + 59min), StopReach::never_comes);
  EXPECT_EQ(stop_reach(10min, {.end = start}, start), StopReach::never_comes);
}

}  // namespace
}  // namespace muster::restart
