#include "core/slurm/job.hpp"

#include "core/slurm/fields.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

using namespace std::chrono_literals;

// `scontrol --all --details --oneliner show job 7`, Slurm 22.05.
const std::string slurm_22_05 =
    "JobId=7 JobName=train UserId=alice(1000) GroupId=users(100) MCS_label=N/A Priority=4294901759 "
    "Nice=0 Account=(null) QOS=(null) JobState=RUNNING Reason=None Dependency=(null) Requeue=1 "
    "Restarts=2 BatchFlag=1 Reboot=0 ExitCode=0:0 DerivedExitCode=0:0 RunTime=00:01:00 "
    "TimeLimit=01:00:00 TimeMin=N/A SubmitTime=2026-01-02T03:00:00 EligibleTime=2026-01-02T03:00:00 "
    "AccrueTime=2026-01-02T03:00:00 StartTime=2026-01-02T03:04:05 EndTime=2026-01-02T04:04:05 "
    "Deadline=N/A PreemptTime=None SuspendTime=None SecsPreSuspend=0 "
    "LastSchedEval=2026-01-02T03:04:05 Scheduler=Main Partition=gpu AllocNode:Sid=login:4711 "
    "ReqNodeList=(null) ExcNodeList=node9 NodeList=node[1-2] BatchHost=node1 NumNodes=2 NumCPUs=4 "
    "NumTasks=2 CPUs/Task=1 ReqB:S:C:T=0:0:*:* TRES=cpu=4,node=2,billing=4 Socks/Node=* "
    "NtasksPerN:B:S:C=0:0:*:* CoreSpec=* JOB_GRES=(null)   Nodes=node[1-2] CPU_IDs=0-1 Mem=0 GRES=  "
    "MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00 "
    "OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null) Command=/home/alice/job "
    "WorkDir=/home/alice StdErr=/home/alice/e StdIn=/dev/null StdOut=/home/alice/o Power= \n";

// Newer releases print further fields, and others where 22.05 has TRES=.
const std::string slurm_24_11 =
    "JobId=7 JobName=train UserId=alice(1000) GroupId=users(100) MCS_label=N/A Priority=1 Nice=0 "
    "Account=(null) QOS=(null) JobState=RUNNING Reason=None Dependency=(null) Requeue=1 Restarts=2 "
    "BatchFlag=1 Reboot=0 ExitCode=0:0 RunTime=00:01:00 TimeLimit=01:00:00 TimeMin=N/A "
    "SubmitTime=2026-01-02T03:00:00 EligibleTime=2026-01-02T03:00:00 "
    "StartTime=2026-01-02T03:04:05 EndTime=2026-01-02T04:04:05 Deadline=N/A "
    "PreemptEligibleTime=2026-01-02T03:04:05 PreemptTime=None SuspendTime=None SecsPreSuspend=0 "
    "Scheduler=Main Partition=gpu AllocNode:Sid=login:4711 ReqNodeList=(null) ExcNodeList=node9 "
    "NodeList=node[1-2] BatchHost=node1 StepMgrEnabled=No NumNodes=2 NumCPUs=4 NumTasks=2 "
    "CPUs/Task=1 ReqB:S:C:T=0:0:*:* ReqTRES=cpu=2,node=2 AllocTRES=cpu=4,node=2 Socks/Node=* "
    "NtasksPerN:B:S:C=0:0:*:* CoreSpec=* JOB_GRES=(null)   Nodes=node[1-2] CPU_IDs=0-1 Mem=0 GRES=  "
    "MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00 "
    "OverSubscribe=OK Contiguous=0 Licenses=(null) LicensesAlloc=(null) Network=(null) "
    "Command=/home/alice/job SubmitLine=sbatch job WorkDir=/home/alice StdErr=/home/alice/e "
    "StdIn=/dev/null StdOut=/home/alice/o \n";

std::optional<Job> job_with(const std::string& fields) {
  return job_from_text("JobId=7 " + fields + "\n", "7");
}

TEST(Job, IsReadFromEachReleasesLine) {
  const auto job = job_from_text(slurm_22_05, "7");
  ASSERT_TRUE(job && job->start && job->end);
  EXPECT_EQ(*job->end - *job->start, 1h);
  EXPECT_EQ(*job, (Job{.id = "7",
                       .task = "7",
                       .component = "7",
                       .user = "alice",
                       .uid = "1000",
                       .state = "RUNNING",
                       .requeues = 2,
                       .may_requeue = true,
                       .batch = true,
                       .batch_host = "node1",
                       .submit_host = "login",
                       .start = job->start,
                       .end = job->end,
                       .output_file = "/home/alice/o",
                       .error_file = "/home/alice/e",
                       .node_list = "node[1-2]",
                       .nodes_with_cores = "node[1-2]"}));
  EXPECT_EQ(job_from_text(slurm_24_11, "7"), job);
}

// As `scontrol --oneliner show job 7` prints an array whose last task has the array's own number.
const std::string array =
    "JobId=7 ArrayJobId=7 ArrayTaskId=3 JobName=a JobState=RUNNING\n"
    "JobId=9 ArrayJobId=7 ArrayTaskId=2 JobName=a JobState=RUNNING\n"
    "JobId=8 ArrayJobId=7 ArrayTaskId=1 JobName=a JobState=PENDING Reason=Resources\n\n";

TEST(Job, IsTheOneWithThatNumber) {
  EXPECT_EQ(job_from_text(array, "7")->task, "7_3");
  EXPECT_EQ(job_from_text(array, "7")->reason, "");  // another one's
  EXPECT_EQ(job_from_text(array, "8")->state, "PENDING");
  EXPECT_EQ(job_from_text(array, "9")->task, "7_2");
  EXPECT_EQ(job_from_text(array, "1"), std::nullopt);
}

TEST(Job, IsTheTaskThatWasAskedFor) {
  EXPECT_EQ(job_from_text("JobId=9 ArrayJobId=7 ArrayTaskId=2 JobState=RUNNING\n", "7_2")->id, "9");
}

TEST(Job, IsNothingWhereScontrolPrintedNoWholeLineOfIt) {
  for (const auto* const text : {"", "\n", "slurm_load_jobs error: Invalid job id specified\n",
                                 "JobId=7 JobState=RUNNING NodeList=node[1-",
                                 "JobId=6 JobState=RUNNING\nJobId=7 JobState=RUN"}) {
    EXPECT_EQ(job_from_text(text, "7"), std::nullopt) << text;
  }
}

TEST(Job, HasTheNamesThatMeanItAlone) {
  EXPECT_EQ(job_with("ArrayJobId=5 ArrayTaskId=3")->task, "5_3");
  EXPECT_EQ(job_with("ArrayJobId=5 ArrayTaskId=3")->component, "5_3");
  // Slurm requeues a heterogeneous job by the number of its first component only.
  EXPECT_EQ(job_with("HetJobId=6 HetJobOffset=1")->task, "7");
  EXPECT_EQ(job_with("HetJobId=6 HetJobOffset=1")->component, "6+1");
  EXPECT_EQ(job_with("HetJobId=6 HetJobOffset=1")->het_leader, "6");
}

TEST(Job, HasAnEndOnlyWithATimeLimit) {
  const auto end = [](const std::string& time) { return job_with("EndTime=" + time)->end; };
  EXPECT_EQ(end("Unknown"), std::nullopt);
  EXPECT_EQ(end("2026-01-02T04:04:05x"), std::nullopt);
  EXPECT_EQ(*end("2026-01-02T04:05:05") - *end("2026-01-02T04:04:05"), 1min);
}

TEST(Job, WasPreemptedOnlyInThisRun) {
  const auto preempted = [](const std::string& time) {
    return job_with("StartTime=2026-01-02T03:04:05 PreemptTime=" + time)->preempted;
  };
  EXPECT_TRUE(preempted("2026-01-02T03:30:00"));
  EXPECT_FALSE(preempted("2026-01-01T03:30:00"));
  EXPECT_FALSE(preempted("None"));
}

TEST(Job, KnowsThatItsTimeLimitHasExpired) {
  EXPECT_FALSE(job_with("JobState=COMPLETING Reason=None")->timed_out);
  EXPECT_TRUE(job_with("JobState=TIMEOUT")->timed_out);
  EXPECT_TRUE(job_with("JobState=COMPLETING Reason=TimeLimit Dependency=(null)")->timed_out);
}

// As Slurm 26.05 prints them.
TEST(Job, MayHaveAStepManagerAndBeExpedited) {
  const auto job = job_with("BatchFlag=0 BatchHost=node1 StepMgrEnabled=Yes ExpeditedRequeue=Yes");
  EXPECT_EQ(job->step_manager, "node1");
  EXPECT_TRUE(job->expedited);
  EXPECT_EQ(job_with("BatchFlag=1 BatchHost=node1")->step_manager, "");
  EXPECT_FALSE(job_with("BatchFlag=1 BatchHost=node1")->expedited);
}

TEST(Job, HasOneFileForErrorsAndOutputUnlessSlurmSaysOtherwise) {
  EXPECT_EQ(job_with("StdErr= StdIn=/dev/null StdOut=/home/alice/o")->error_file, "/home/alice/o");
  EXPECT_EQ(job_with("StdErr=/home/alice/e StdIn=/dev/null StdOut=/home/alice/o")->error_file,
            "/home/alice/e");
}

TEST(Job, MayForbidARequeueAndHaveNoScript) {
  const auto job = job_with("Requeue=0 Restarts=0 BatchFlag=0 BatchHost=node1");
  EXPECT_FALSE(job->may_requeue);
  EXPECT_FALSE(job->batch);
  EXPECT_EQ(job->batch_host, "");
}

TEST(Job, HasNoNodesBeforeItStarts) {
  EXPECT_EQ(job_with("ReqNodeList=x1 NodeList=(null)")->node_list, "");
  EXPECT_EQ(job_with("ReqNodeList=x1 NodeList= NumNodes=2")->node_list, "");
}

TEST(Job, HasTheGpusOfItsFirstNodeThatHasAny) {
  const auto gpus = [](const std::string& fields) { return job_with(fields)->gpus_of_node; };
  EXPECT_EQ(gpus("Nodes=n1 CPU_IDs=0-1 Mem=0 GRES=gpu:4(IDX:0-3)"), 4U);
  EXPECT_EQ(gpus("Nodes=n1 CPU_IDs=0 Mem=0 GRES=  Nodes=n2 CPU_IDs=0 Mem=0 "
                 "GRES=nic:1,gpu:a100:2(IDX:0,3),gpu:h100:1(IDX:1)"),
            3U);
  EXPECT_EQ(gpus("Nodes=n1 CPU_IDs=0-1 Mem=0 GRES="), 0U);
}

TEST(Job, NamesTheNodesWithCoresOnceForEachKind) {
  EXPECT_EQ(job_with("Nodes=n1 CPU_IDs=0-1 Mem=0 GRES=  Nodes=n[2,4] CPU_IDs=3 Mem=0 GRES=")
                ->nodes_with_cores,
            "n1,n[2,4]");
  EXPECT_EQ(job_with("NodeList=n1")->nodes_with_cores, "");
}

}  // namespace
}  // namespace muster::slurm
