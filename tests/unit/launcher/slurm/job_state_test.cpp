#include "launcher/slurm/job_state.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

report::SlurmJobState state_of(const std::string& fields, unsigned restarts = 0) {
  return slurm_job_state(job_from_text("JobId=7 " + fields + "\n", "7").value_or(Job()), restarts);
}

TEST(SlurmJobState, IsTheStateOfTheJobAndTheReason) {
  const auto state = state_of(
      "JobName=train UserId=alice(2001) Requeue=1 JobState=NODE_FAIL Reason=NodeDown "
      "Dependency=(null)");
  EXPECT_EQ(state.job_state, "NODE_FAIL");
  EXPECT_EQ(state.reason, "NodeDown");
}

TEST(SlurmJobState, HasNoReasonWhereSlurmHasNone) {
  EXPECT_EQ(state_of("JobState=RUNNING Reason=None").reason, "");
}

TEST(SlurmJobState, SaysOfACompletingJobHowItEndsAsFarAsItShows) {
  const auto state = [](const std::string& fields, unsigned restarts = 0) {
    return state_of("JobState=COMPLETING StartTime=2026-01-01T00:00:00 " + fields, restarts)
        .job_state;
  };
  EXPECT_EQ(state("Reason=TimeLimit Restarts=0 PreemptTime=None"), "TIMEOUT");
  EXPECT_EQ(state("Reason=NodeDown Restarts=0 PreemptTime=None"), "NODE_FAIL");
  EXPECT_EQ(state("Reason=None Restarts=0 PreemptTime=2026-01-01T00:00:00"), "PREEMPTED");
  // In an earlier run.
  EXPECT_EQ(state("Reason=None Restarts=1 PreemptTime=2025-12-31T00:00:00", 1), "COMPLETING");
  EXPECT_EQ(state("Reason=None Restarts=1 PreemptTime=None"), "REQUEUED");
  EXPECT_EQ(state("Reason=None Restarts=1 PreemptTime=None", 1), "COMPLETING");
  EXPECT_EQ(state("Reason=None"), "COMPLETING");
}

TEST(JobOfARecord, IsTheStepsAndThenTheOneOfTheScript) {
  const srun::Command line{{"srun", "./train"}, 1};
  report::Record record;
  EXPECT_EQ(job_of(record, line, {}).id, "");
  const Environment script{{"SLURM_JOB_ID", "42"}, {"SLURM_RESTART_COUNT", "2"}};
  record.step = "42.0";
  EXPECT_EQ(job_of(record, line, script).restarts, 2U);
  EXPECT_FALSE(job_of(record, line, script).ends_soon);
  record.step = "43.0";
  EXPECT_EQ(job_of(record, line, script).id, "43");
  EXPECT_EQ(job_of(record, line, script).restarts, 0U);
  EXPECT_TRUE(job_of(record, line, script).ends_soon);
}

TEST(JobOfARecord, OutlivesItsStepIfTheLineNamesIt) {
  const srun::Command line{{"srun", "--jobid=43", "./train"}, 2};
  const Environment script{{"SLURM_JOB_ID", "42"}, {"SLURM_RESTART_COUNT", "2"}};
  report::Record record;
  EXPECT_EQ(job_of(record, line, script).id, "43");
  record.step = "43.0";
  EXPECT_FALSE(job_of(record, line, script).ends_soon);
  EXPECT_EQ(job_of(record, line, script).restarts, 0U);
}

}  // namespace
}  // namespace muster::slurm
