#include "launcher/slurm/own_environment.hpp"

#include "core/slurm/releases.hpp"
#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

class OwnEnvironment : public testing::Test {
 protected:
  // What a process below process 300, a child of that slurmstepd, has after another job's step 0.
  Environment below(const std::string& slurmstepd) const {
    std::filesystem::create_directories(proc_.path("300"));
    std::filesystem::create_directories(proc_.path("299"));
    proc_.write("300/status", "Name:\tslurm_script\nState:\tS (sleeping)\nPid:\t300\nPPid:\t299\n");
    proc_.write("299/cmdline", slurmstepd);
    return without_step_of_another_job(environment_, proc_.path());
  }

  Environment environment_{
      {"SLURM_JOB_ID", "42"}, {"SLURM_STEP_ID", "0"}, {"SLURM_TASK_PID", "300"}};
  fixtures::ScratchDirectory proc_;
};

TEST_F(OwnEnvironment, OfABatchScriptHasNoStep) {
  EXPECT_TRUE(is_batch_script(below("slurmstepd: [42.batch]")));
}

TEST_F(OwnEnvironment, OfATaskHasItsStep) {
  EXPECT_EQ(below("slurmstepd: [42.0]"), environment_);
}

// salloc in another job's batch script: the script's process is not this job's.
TEST_F(OwnEnvironment, IsLeftAloneBelowAnotherJobsScript) {
  EXPECT_EQ(below("slurmstepd: [41.batch]"), environment_);
}

TEST_F(OwnEnvironment, IsLeftAloneWhereTheProcessesAreHidden) {
  EXPECT_EQ(without_step_of_another_job(environment_, proc_.path("none")), environment_);
  for (const std::string pid : {"", "self", "../1"}) {
    environment_.set("SLURM_TASK_PID", pid);
    EXPECT_EQ(below("slurmstepd: [42.batch]"), environment_) << pid;
  }
}

}  // namespace
}  // namespace muster::slurm
