#include "core/slurm/step_cancel.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

const std::string cancel =
    "slurmstepd: error: *** STEP 42.0 ON node1 CANCELLED AT 2026-01-01T00:00:12";
const std::string whole =
    "ready\nsrun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n" + cancel +
    " ***\nsrun: error: node1: task 0: Killed\n";

TEST(StepCancel, IsToldBySlurmstepd) {
  EXPECT_TRUE(tells_of_cancel(whole, "42.0"));
  EXPECT_TRUE(tells_of_cancel(cancel + " DUE to SIGNAL Terminated ***\n", "42.0"));
  EXPECT_TRUE(tells_of_cancel("0: " + cancel + " ***", "42.0"));
}

TEST(StepCancel, IsOfThisStep) {
  for (const auto* const step : {"42.1", "2.0", "42.00", "42", ""}) {
    EXPECT_FALSE(tells_of_cancel(whole, step)) << step;
  }
}

TEST(StepCancel, IsNoneIfSlurmEndedTheStepForAReasonOfItsOwn) {
  for (const auto* const reason : {"TIME LIMIT", "PREEMPTION", "JOB REQUEUE", "TASK FAILURE",
                                   "NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"}) {
    EXPECT_FALSE(tells_of_cancel(cancel + " DUE TO " + reason + " ***\n", "42.0")) << reason;
  }
}

TEST(StepCancel, IsNoneIfSrunOrAPluginCancelledTheStepAfterAFailure) {
  for (
      const auto* const reason :
      {"slurmstepd: error:  mpi/pmix_v4: _errhandler: node1 [0]: Error handler invoked",
       "srun: Terminating StepId=42.0", "srun: error: Node failure on node2",
       "srun: error: Aborting, io error and missing step on node 1",
       "slurmstepd: error: Detected 1 oom_kill event in StepId=42.0. Some of the step",
       "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=42.0. Some of your",
       "slurmstepd: error: StepId=42.0 exceeded memory limit (2048 > 1024), being killed",
       "slurmstepd: error: StepId=42.0 exceeded virtual memory limit (2048 > 1024), being killed"}) {
    EXPECT_FALSE(tells_of_cancel(whole + reason + "\n", "42.0")) << reason;
    EXPECT_FALSE(tells_of_cancel(std::string(reason) + "\n" + whole, "42.0")) << reason;
  }
}

TEST(StepCancel, IsNoneInWhatRanksWrite) {
  EXPECT_FALSE(
      tells_of_cancel("srun: error: node1: task 0: Killed\n"
                      "srun: Force Terminated StepId=42.0\n",
                      "42.0"));
  EXPECT_FALSE(tells_of_cancel("", "42.0"));
}

}  // namespace
}  // namespace muster::slurm
