#include "launcher/slurm/slurms_word.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
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

TEST(SlurmsWord, SaysOfACompletingJobHowItEndsAsFarAsItShows) {
  const auto state = [](std::string_view fields, unsigned restarts = 0) {
    return slurms_word("JobId=7 JobState=COMPLETING " + std::string(fields), restarts).job_state;
  };
  EXPECT_EQ(state("Reason=TimeLimit Restarts=0 PreemptTime=None"), "TIMEOUT");
  EXPECT_EQ(state("Reason=NodeDown Restarts=0 PreemptTime=None"), "NODE_FAIL");
  EXPECT_EQ(state("Reason=None Restarts=0 PreemptTime=2026-01-01T00:00:00"), "PREEMPTED");
  EXPECT_EQ(state("Reason=None Restarts=1 PreemptTime=None"), "REQUEUED");
  EXPECT_EQ(state("Reason=None Restarts=1 PreemptTime=None", 1), "COMPLETING");
  EXPECT_EQ(state("Reason=None"), "COMPLETING");
}

TEST(JobOfARecord, IsTheStepsAndThenTheOneOfTheScript) {
  report::Record record;
  EXPECT_EQ(job_of(record, {}).id, "");
  const Environment script{{"SLURM_JOB_ID", "42"}, {"SLURM_RESTART_COUNT", "2"}};
  record.step = "42.0";
  EXPECT_EQ(job_of(record, script).restarts, 2U);
  EXPECT_FALSE(job_of(record, script).ends_soon);
  record.step = "43.0";
  EXPECT_EQ(job_of(record, script).id, "43");
  EXPECT_EQ(job_of(record, script).restarts, 0U);
  EXPECT_TRUE(job_of(record, script).ends_soon);
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
}  // namespace muster::slurm
