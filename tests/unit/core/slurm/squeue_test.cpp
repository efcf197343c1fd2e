#include "core/slurm/squeue.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

TEST(HetJobs, AreTheLinesWithAnOffset) {
  EXPECT_EQ(het_jobs("41|41\n42+0|42\n42+1|43\n7_[1-3]|7\nsqueue: error: +\n"),
            (std::vector<HetJob>{{"42", 0, "42"}, {"42", 1, "43"}}));
}

// As squeue prints them: the step by its array's name, the job also by its own number.
TEST(ArrayTasks, AreTheLinesWithATasksName) {
  EXPECT_EQ(array_tasks("49_2|51\n49_[3-9]|49\n42+0|42\n42|42\nsqueue: error: a_b|c\n"),
            (std::vector<ArrayTask>{{"49_2", "51"}}));
}

TEST(WaitingJob, IsTheOneOfThisSession) {
  constexpr std::string_view squeue =
      "47                  1234                \n48                  99                  \n";
  EXPECT_EQ(waiting_job(squeue, 1234), "47");
  EXPECT_EQ(waiting_job(squeue, 99), "48");
  EXPECT_EQ(waiting_job(squeue, 1), "");
  EXPECT_EQ(waiting_job("slurm_load_jobs error: Unable to contact slurm controller\n", 1), "");
}

TEST(WaitingJob, IsNoneOfSeveral) {
  EXPECT_EQ(waiting_job("47 1234\n48 1234\n", 1234), "");
}

TEST(JobNumbers, AreTheLinesThatAreNumbers) {
  EXPECT_EQ(job_numbers("41\n\n42\nsqueue: error\n4x\n"), (std::vector<std::string>{"41", "42"}));
  EXPECT_TRUE(job_numbers("").empty());
}

TEST(JobName, IsANumberOrATaskOfAnArray) {
  for (const auto* const name : {"42", "49_2"}) EXPECT_TRUE(is_job_name(name)) << name;
  for (const auto* const name : {"", "4x", "49_", "_2", "49_[1-3]", "42+1"}) {
    EXPECT_FALSE(is_job_name(name)) << name;
  }
}

}  // namespace
}  // namespace muster::slurm
