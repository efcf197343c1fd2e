#include "launcher/slurm/job_facts.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

using namespace std::chrono_literals;

std::string line(const std::string& state, const std::string& preempted = "None",
                 const std::string& end = "2026-01-02T04:04:05") {
  return "JobId=7 JobName=a Requeue=1 Restarts=2 BatchFlag=1 JobState=" + state +
         " StartTime=2026-01-02T03:04:05 EndTime=" + end + " PreemptTime=" + preempted + "\n";
}

TEST(JobFacts, AreNothingForATextOfNoJob) {
  EXPECT_EQ(job_facts(""), std::nullopt);
  EXPECT_EQ(job_facts("slurm_load_jobs error: Invalid job id specified"), std::nullopt);
}

TEST(JobFacts, AreSlurmsWords) {
  const auto facts = job_facts(line("RUNNING"));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->now, (restart::JobNow{.state = "RUNNING", .requeues = 2}));
  EXPECT_TRUE(facts->batch);
  EXPECT_TRUE(facts->may_requeue);
  ASSERT_TRUE(facts->end);
  EXPECT_EQ(*job_facts(line("RUNNING", "None", "2026-01-02T04:05:05"))->end - *facts->end, 1min);
}

TEST(JobFacts, NameTheOneTaskOfAnArrayThatIsToBeRequeued) {
  EXPECT_EQ(job_facts(line("RUNNING"))->name, "7");
  EXPECT_EQ(job_facts("JobId=7 ArrayJobId=7 ArrayTaskId=3 JobState=RUNNING")->name, "7_3");
  // Slurm requeues a heterogeneous job only by the number of its first component.
  EXPECT_EQ(job_facts("JobId=7 HetJobId=7 HetJobOffset=0 JobState=RUNNING")->name, "7");
}

TEST(JobFacts, HaveNoEndOfAJobWithoutALimit) {
  EXPECT_EQ(job_facts(line("RUNNING", "None", "Unknown"))->end, std::nullopt);
  EXPECT_EQ(job_facts(line("RUNNING", "None", "2026-01-02T04:04:05x"))->end, std::nullopt);
}

TEST(JobFacts, CountOnlyAPreemptionOfThisRun) {
  EXPECT_TRUE(job_facts(line("COMPLETING", "2026-01-02T03:30:00"))->now.preempted);
  EXPECT_FALSE(job_facts(line("RUNNING", "2026-01-01T03:30:00"))->now.preempted);
}

TEST(JobFacts, KnowAJobWhoseTimeLimitIsOver) {
  EXPECT_FALSE(job_facts(line("COMPLETING"))->now.timed_out);
  EXPECT_TRUE(job_facts(line("TIMEOUT"))->now.timed_out);
  EXPECT_TRUE(
      job_facts("JobId=7 JobState=COMPLETING Reason=TimeLimit Dependency=(null)")->now.timed_out);
}

TEST(JobFacts, KnowAJobThatMayNotBeRequeued) {
  const auto facts = job_facts("JobId=7 JobState=RUNNING Requeue=0 Restarts=0 BatchFlag=0");
  ASSERT_TRUE(facts);
  EXPECT_FALSE(facts->may_requeue);
  EXPECT_FALSE(facts->batch);
}

}  // namespace
}  // namespace muster::slurm
