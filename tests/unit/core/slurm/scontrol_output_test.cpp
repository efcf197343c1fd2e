#include "core/slurm/scontrol_output.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

// `scontrol --oneliner show job 7` prints an array like this if its last task has the array's own number.
const std::string array =
    "JobId=7 ArrayJobId=7 ArrayTaskId=3 JobName=a JobState=RUNNING\n"
    "JobId=9 ArrayJobId=7 ArrayTaskId=2 JobName=a JobState=RUNNING\n"
    "JobId=8 ArrayJobId=7 ArrayTaskId=1 JobName=a JobState=PENDING Reason=Resources\n\n";

TEST(JobLine, IsTheOneOfThatJob) {
  EXPECT_EQ(field(job_line(array, "7"), "ArrayTaskId"), "3");
  EXPECT_EQ(field(job_line(array, "8"), "JobState"), "PENDING");
  EXPECT_EQ(field(job_line(array, "7"), "Reason"), "");  // belongs to another task
  EXPECT_EQ(job_line(array, "1"), "");
  EXPECT_EQ(job_line("slurm_load_jobs error: Invalid job id specified\n", "7"), "");
  EXPECT_EQ(job_line("", "7"), "");
}

TEST(JobLine, IsNothingWhereItWasCutOff) {
  EXPECT_EQ(job_line("JobId=7 JobState=RUNNING NodeList=node[1-", "7"), "");
  EXPECT_EQ(job_line("JobId=6 JobState=RUNNING\nJobId=7 JobState=RUN", "7"), "");
}

TEST(TaskName, IsTheJobsNumberOrItsPlaceInAnArray) {
  EXPECT_EQ(task_name("JobId=7 JobState=RUNNING"), "7");
  EXPECT_EQ(task_name(job_line(array, "7")), "7_3");
  EXPECT_EQ(task_name(job_line(array, "9")), "7_2");
  EXPECT_EQ(task_name("JobId=7 HetJobId=7 HetJobOffset=0"), "7");
}

TEST(ComponentName, IsThePlaceInAHeterogeneousJob) {
  EXPECT_EQ(component_name("JobId=7 HetJobId=7 HetJobOffset=0"), "7+0");
  EXPECT_EQ(component_name("JobId=8 HetJobId=7 HetJobOffset=1"), "7+1");
  EXPECT_EQ(component_name(job_line(array, "9")), "7_2");
  EXPECT_EQ(component_name("JobId=7 JobState=RUNNING"), "7");
}

// `scontrol --oneliner show step 7` prints the steps of that array like this.
const std::string array_steps =
    "StepId=7_1.0 UserId=1 Name=train Network=(null)\nStepId=7_1.batch UserId=1 Name=batch\n"
    "StepId=7_3.0 UserId=1 Name=train Network=(null)\nStepId=7_3.12 UserId=1 Name=inner\n"
    "StepId=7_31.4 UserId=1 Name=train\nStepId=7_2.0 UserId=1 Name=train\n\n";

TEST(StepsOfJob, AreThoseOfOneTaskOfAnArray) {
  EXPECT_EQ(steps_of_job(array_steps, "7", task_name(job_line(array, "7"))),
            (std::vector<ShownStep>{{"7.0", "train"}, {"7.12", "inner"}}));
  EXPECT_EQ(steps_of_job(array_steps, "9", task_name(job_line(array, "9"))),
            (std::vector<ShownStep>{{"9.0", "train"}}));
}

TEST(StepsOfJob, HaveTheJobsNumberOutsideOfArrays) {
  EXPECT_EQ(
      steps_of_job("StepId=7.0 Name=a\nStepId=7.batch Name=batch\nStepId=77.1 Name=b\n", "7", "7"),
      (std::vector<ShownStep>{{"7.0", "a"}, {"7.batch", "batch"}}));
  EXPECT_TRUE(steps_of_job("", "7", "7").empty());
  EXPECT_TRUE(steps_of_job("Invalid job id specified\nStepId=\nStepId=7\n", "7", "7").empty());
}

}  // namespace
}  // namespace muster::slurm
