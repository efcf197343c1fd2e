#include "launcher/supervisor/attempts/missing_prerequisites.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::attempts {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

std::string missing_by(std::string_view config, seconds heartbeat) {
  return missing_prerequisites(slurm::Config::from_text(config), heartbeat);
}

TEST(MissingPrerequisites, NothingByDefault) {
  EXPECT_EQ(missing_by("SchedulerParameters     = (null)\nSlurmdTimeout           = 300 sec\n",
                       seconds{10}),
            "");
  EXPECT_EQ(missing_by("", seconds{10}), "");
}

TEST(MissingPrerequisites, NamesASiteThatForbidsShrinking) {
  EXPECT_THAT(missing_by("SchedulerParameters     = bf_max=1,disable_job_shrink\n", seconds{10}),
              HasSubstr("(disable_job_shrink)"));
  EXPECT_EQ(
      missing_by("SchedulerParameters     = (null)\nOther = disable_job_shrink\n", seconds{10}),
      "");
}

TEST(MissingPrerequisites, NamesATimeoutThatComesBeforeTheHeartbeat) {
  const auto line = missing_by("SlurmdTimeout           = 15 sec\n", seconds{10});
  EXPECT_THAT(line, HasSubstr("before heartbeat=10 runs out (SlurmdTimeout is 15 s)"));
  EXPECT_EQ(missing_by("SlurmdTimeout           = 15 sec\n", seconds{5}), "");
  EXPECT_EQ(missing_by("SlurmdTimeout           = 0 sec\n", seconds{10}), "");
}

}  // namespace
}  // namespace muster::attempts
