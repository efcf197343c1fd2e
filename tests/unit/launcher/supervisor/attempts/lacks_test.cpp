#include "launcher/supervisor/attempts/lacks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::attempts {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

TEST(Lacks, NothingByDefault) {
  EXPECT_EQ(
      lacks("SchedulerParameters     = (null)\nSlurmdTimeout           = 300 sec\n", seconds{10}),
      "");
  EXPECT_EQ(lacks("", seconds{10}), "");
}

TEST(Lacks, NamesASiteThatForbidsShrinking) {
  EXPECT_THAT(lacks("SchedulerParameters     = bf_max=1,disable_job_shrink\n", seconds{10}),
              HasSubstr("(disable_job_shrink)"));
  EXPECT_EQ(lacks("SchedulerParameters     = (null)\nOther = disable_job_shrink\n", seconds{10}),
            "");
}

TEST(Lacks, NamesATimeoutThatComesBeforeTheHeartbeat) {
  const auto line = lacks("SlurmdTimeout           = 15 sec\n", seconds{10});
  EXPECT_THAT(line, HasSubstr("before heartbeat=10 does (SlurmdTimeout is 15 s)"));
  EXPECT_EQ(lacks("SlurmdTimeout           = 15 sec\n", seconds{5}), "");
  EXPECT_EQ(lacks("SlurmdTimeout           = 0 sec\n", seconds{10}), "");
}

}  // namespace
}  // namespace muster::attempts
