#include "launcher/supervise/slurms_word.hpp"

#include <gtest/gtest.h>

namespace muster::supervise {
namespace {

TEST(SlurmsWord, IsTheStateOfTheJobAndTheReason) {
  const auto word = slurms_word(
      "JobId=7 JobName=train UserId=alice(2001) Requeue=1 JobState=NODE_FAIL Reason=NodeDown "
      "Dependency=(null)\n");
  EXPECT_EQ(word.job_state, "NODE_FAIL");
  EXPECT_EQ(word.reason, "NodeDown");
}

TEST(SlurmsWord, HasNoReasonWhereSlurmHasNone) {
  EXPECT_EQ(slurms_word("JobState=RUNNING Reason=None").reason, "");
}

TEST(SlurmsWord, IsEmptyWhereScontrolFailed) {
  EXPECT_EQ(slurms_word("slurm_load_jobs error: Invalid job id specified\n"), report::SlurmsWord{});
  EXPECT_EQ(slurms_word(""), report::SlurmsWord{});
}

TEST(KillWait, IsReadFromSlurmsConfiguration) {
  const auto config =
      "KeepAliveTime           = SYSTEM_DEFAULT\nKillOnBadExit           = 0\n"
      "KillWait                = 45 sec\nLaunchParameters = (null)\n";
  EXPECT_EQ(kill_wait(config), std::chrono::seconds{45});
}

TEST(KillWait, IsUnknownWhereScontrolFailed) {
  EXPECT_EQ(kill_wait("scontrol: error: no controller"), std::nullopt);
  EXPECT_EQ(kill_wait("KillWait  = sec"), std::nullopt);
  EXPECT_EQ(kill_wait(""), std::nullopt);
}

}  // namespace
}  // namespace muster::supervise
