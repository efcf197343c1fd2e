#include "launcher/supervise/scontrol_output.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::supervise {
namespace {

// As `scontrol --oneliner show job 7` prints an array whose last task has the array's own number.
const std::string array =
    "JobId=7 ArrayJobId=7 ArrayTaskId=3 JobName=a JobState=RUNNING\n"
    "JobId=9 ArrayJobId=7 ArrayTaskId=2 JobName=a JobState=RUNNING\n"
    "JobId=8 ArrayJobId=7 ArrayTaskId=1 JobName=a JobState=PENDING Reason=Resources\n\n";

TEST(JobLine, IsTheOneOfThatJob) {
  EXPECT_EQ(field(job_line(array, "7"), "ArrayTaskId"), "3");
  EXPECT_EQ(field(job_line(array, "8"), "JobState"), "PENDING");
  EXPECT_EQ(field(job_line(array, "7"), "Reason"), "");  // another's
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

}  // namespace
}  // namespace muster::supervise
