#include "core/srun/job_of_line.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

const Environment in_script{{"SLURM_JOB_ID", "4700"},
                            {"SLURM_JOB_NODELIST", "n[1-4]"},
                            {"SLURM_NODEID", "0"},
                            {"SLURMD_NODENAME", "n1"}};

Command srun_with(std::vector<std::string> options) {
  options.insert(options.begin(), "srun");
  const auto program = options.size();
  options.insert(options.end(), {"./train", "--jobid=1"});
  return {options, program};
}

TEST(JobOfLine, IsTheOneThatTheLineNames) {
  EXPECT_EQ(job_of_line(srun_with({"--jobid=4711"}), in_script), "4711");
  EXPECT_EQ(job_of_line(srun_with({"--jobid", "4711"}), {}), "4711");
  EXPECT_EQ(job_of_line(srun_with({"--jobid=1", "--jobid=2"}), {}), "2");
}

TEST(JobOfLine, IsOtherwiseTheOneAroundIt) {
  EXPECT_EQ(job_of_line(srun_with({"-J4711"}), in_script), "4700");
  EXPECT_EQ(job_of_line(srun_with({"-N2"}), {}), "");
}

TEST(JobOfLine, IsAnotherOneUnlessItIsTheOneAroundIt) {
  EXPECT_TRUE(joins_other_job(srun_with({"--jobid=4711"}), in_script));
  EXPECT_TRUE(joins_other_job(srun_with({"--jobid=4711"}), {}));
  EXPECT_FALSE(joins_other_job(srun_with({"--jobid=4700"}), in_script));
  EXPECT_FALSE(joins_other_job(srun_with({}), in_script));
  EXPECT_FALSE(joins_other_job(srun_with({}), {}));
}

TEST(AllocationOfLine, HasTheVariablesOfItsOwnJobOnly) {
  const auto own = allocation_of_line(srun_with({"--jobid=4700"}), in_script);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->nodes.size(), 4U);
  const auto other = allocation_of_line(srun_with({"--jobid=4711"}), in_script);
  ASSERT_TRUE(other);
  EXPECT_EQ(*other, (slurm::Allocation{.job = "4711", .nodes = {}, .batch_host = ""}));
  EXPECT_EQ(allocation_of_line(srun_with({"-N2"}), {}), std::nullopt);
}

}  // namespace
}  // namespace muster::srun
