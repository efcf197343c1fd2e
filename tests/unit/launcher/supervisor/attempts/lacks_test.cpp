#include "launcher/supervisor/attempts/lacks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::attempts {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

std::string lacks_of(std::string_view config, seconds heartbeat) {
  return lacks(slurm::Config::from_text(config), heartbeat);
}

TEST(Lacks, NothingByDefault) {
  EXPECT_EQ(lacks_of("SchedulerParameters     = (null)\nSlurmdTimeout           = 300 sec\n",
                     seconds{10}),
            "");
  EXPECT_EQ(lacks_of("", seconds{10}), "");
}

TEST(Lacks, NamesASiteThatForbidsShrinking) {
  EXPECT_THAT(lacks_of("SchedulerParameters     = bf_max=1,disable_job_shrink\n", seconds{10}),
              HasSubstr("(disable_job_shrink)"));
  EXPECT_EQ(lacks_of("SchedulerParameters     = (null)\nOther = disable_job_shrink\n", seconds{10}),
            "");
}

TEST(Lacks, NamesATimeoutThatComesBeforeTheHeartbeat) {
  const auto line = lacks_of("SlurmdTimeout           = 15 sec\n", seconds{10});
  EXPECT_THAT(line, HasSubstr("before heartbeat=10 does (SlurmdTimeout is 15 s)"));
  EXPECT_EQ(lacks_of("SlurmdTimeout           = 15 sec\n", seconds{5}), "");
  EXPECT_EQ(lacks_of("SlurmdTimeout           = 0 sec\n", seconds{10}), "");
}

}  // namespace
}  // namespace muster::attempts
