#include "core/slurm/allocation.hpp"

#include "core/error.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

std::optional<Allocation> allocation_in(const std::string& text) {
  const auto job = job_from_text(text, "7");
  return job ? allocation_of(*job) : std::nullopt;
}

using Names = std::vector<std::string>;

TEST(CurrentAllocation, IsNothingOutsideOfOne) {
  EXPECT_EQ(current_allocation({}), std::nullopt);
  EXPECT_EQ(current_allocation({{"SLURM_JOB_NODELIST", "node1"}}), std::nullopt);
}

TEST(CurrentAllocation, HasTheNodesInSlurmsOrder) {
  const auto found =
      current_allocation({{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "b[2-3],a1"}});
  EXPECT_EQ(found, (Allocation{"7", {"b2", "b3", "a1"}, ""}));
}

TEST(CurrentAllocation, HasABatchHostInABatchScriptOnly) {
  Environment script{
      {"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n[1-2]"}, {"SLURMD_NODENAME", "n1"}};
  EXPECT_EQ(current_allocation(script)->batch_host, "n1");
  script.set("SLURM_STEP_ID", "-5");  // as Slurm 26.05 sets it there
  EXPECT_EQ(current_allocation(script)->batch_host, "n1");
  script.set("SLURM_STEP_ID", "0");  // a task
  EXPECT_EQ(current_allocation(script)->batch_host, "");
  // salloc in another job's batch script.
  EXPECT_EQ(
      current_allocation(
          {{"SLURM_JOB_ID", "8"}, {"SLURM_JOB_NODELIST", "n[3-4]"}, {"SLURMD_NODENAME", "n1"}})
          ->batch_host,
      "");
}

TEST(CurrentAllocation, MayBeKnownByItsJobAlone) {
  EXPECT_EQ(current_allocation({{"SLURM_JOB_ID", "7"}}), (Allocation{"7", {}, ""}));
}

TEST(CurrentAllocation, RefusesANodeListThatSlurmDidNotWrite) {
  EXPECT_THROW(current_allocation({{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n[1-"}}), Error);
}

TEST(AllocationOfAJob, IsReadFromScontrol) {
  const auto line = [](const std::string& batch_flag) {
    return "JobId=7 JobName=a JobState=RUNNING BatchFlag=" + batch_flag +
           " ReqNodeList=x1 ExcNodeList=(null) NodeList=n[1,3] BatchHost=n1 NumNodes=2\n";
  };
  EXPECT_EQ(allocation_in(line("0")), (Allocation{"7", {"n1", "n3"}, "", {}, "7"}));
  EXPECT_EQ(allocation_in(line("1")), (Allocation{"7", {"n1", "n3"}, "n1", {}, "7"}));
}

TEST(Allocation, KnowsTheNodeThatManagesItsSteps) {
  EXPECT_EQ(
      allocation_in("JobId=7 NodeList=n[1-2] BatchHost=n1 StepMgrEnabled=Yes\n")->step_manager,
      "n1");
  EXPECT_EQ(allocation_in("JobId=7 NodeList=n[1-2] BatchHost=n1\n")->step_manager, "");
  EXPECT_EQ(current_allocation({{"SLURM_JOB_ID", "7"}, {"SLURM_STEPMGR", "n1"}})->step_manager,
            "n1");
}

TEST(AllocationOfAJob, IsToBeNamedSoThatNothingElseIsChanged) {
  const auto name = [](const std::string& fields) {
    return allocation_in("JobId=7 " + fields + " JobState=RUNNING NodeList=n1\n")->component;
  };
  EXPECT_EQ(name("ArrayJobId=7 ArrayTaskId=3"), "7_3");
  EXPECT_EQ(name("HetJobId=7 HetJobOffset=0"), "7+0");
  EXPECT_EQ(current_allocation({{"SLURM_JOB_ID", "7"}})->component, "");
}

TEST(AllocationOfAJob, IsNothingWithoutNodes) {
  EXPECT_EQ(allocation_in("JobId=7 JobState=PENDING NodeList=(null)\n"), std::nullopt);
  EXPECT_EQ(allocation_in("JobId=7 JobState=PENDING NodeList= NumNodes=2\n"), std::nullopt);
}

TEST(AllocationOfAJob, KnowsOnWhichNodesTheJobHasNoCores) {
  const auto without_cores = [](const std::string& details) {
    return allocation_in("JobId=7 NodeList=n[1-4] JOB_GRES=(null) " + details + " MinCPUsNode=1\n")
        ->without_cores;
  };
  EXPECT_EQ(without_cores("Nodes=n[1-4] CPU_IDs=0-63 Mem=0 GRES="), Names{});
  EXPECT_EQ(without_cores("  Nodes=n[1-3] CPU_IDs=0-63 Mem=0 GRES="), Names{"n4"});
  EXPECT_EQ(without_cores("Nodes=n1 CPU_IDs=0-1 Mem=0 GRES=  Nodes=n[2,4] CPU_IDs=3 Mem=0 GRES="),
            Names{"n3"});
  EXPECT_EQ(without_cores(""), Names{});  // an older or newer Slurm may not mention them
  EXPECT_EQ(without_cores("Nodes=n[1- CPU_IDs=0"), Names{});
}

}  // namespace
}  // namespace muster::slurm
