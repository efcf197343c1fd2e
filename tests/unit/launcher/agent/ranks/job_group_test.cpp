#include "launcher/agent/ranks/job_group.hpp"

#include <gtest/gtest.h>

namespace muster::ranks {
namespace {

TEST(JobGroup, IsTheParentOfTheSteps) {
  EXPECT_EQ(job_group_of("/slurm/uid_1/job_2/step_0/task_1"), "/slurm/uid_1/job_2");
  EXPECT_EQ(job_group_of("/s.scope/job_2/step_batch/user/task_0"), "/s.scope/job_2");
  EXPECT_EQ(job_group_of("/s.scope/sEKNKTV3WPV500/step_0/user/task_0"), "/s.scope/sEKNKTV3WPV500");
  EXPECT_EQ(job_group_of("/pod/step_1/s.scope/sEKNKTV3WPV500/step_0"),
            "/pod/step_1/s.scope/sEKNKTV3WPV500");
}

TEST(JobGroup, IsAJobsOwnWithoutAStep) {
  EXPECT_EQ(job_group_of("/slurm/uid_1/job_2"), "/slurm/uid_1/job_2");
  EXPECT_EQ(job_group_of("/pod/job_1/task_0"), "/pod/job_1");
  EXPECT_EQ(job_group_of("/user.slice/session-1.scope"), "");
  EXPECT_EQ(job_group_of(""), "");
}

TEST(JobGroup, HasTheNameInTheFirstLineThatTellsIt) {
  EXPECT_EQ(job_group_name("3:cpu:/\n2:memory:/slurm/uid_1/job_2/step_0/task_1\n"), "job_2");
  EXPECT_EQ(job_group_name("0::/s.scope/sEKNKTV3WPV500/step_0/user/task_0\n"), "sEKNKTV3WPV500");
  EXPECT_EQ(job_group_name("0::/init.scope\n"), "");
  EXPECT_EQ(job_group_name("malformed"), "");
}

}  // namespace
}  // namespace muster::ranks
