// When a task counts as rebound, and by what.
#include "launcher/agent/task_watch/affinity_changes.hpp"

#include "launcher/agent/task_watch/binding_tools.hpp"

#include <gtest/gtest.h>

namespace muster::task_watch {
namespace {

using Lines = std::vector<std::string>;
using Words = std::vector<std::string>;

// Ranks 2 and 3 on CPUs 0-3 and 4-7, rank 4 as bound by Slurm.
plan::NodePlan plan() {
  plan::NodePlan plan{.node = "node1", .node_rank = 0, .tasks = {}, .warnings = {}};
  for (std::uint32_t i = 0; i < 3; ++i) {
    plan::TaskPlan task{.procid = i + 2,
                        .rank = i + 2,
                        .local_rank = i,
                        .index = i,
                        .variables = {},
                        .resources = {}};
    if (i < 2) task.resources.cpus = CpuSet::range(4 * i, 4 * i + 3);
    plan.tasks.push_back(std::move(task));
  }
  return plan;
}

TaskProcess process(pid_t pid, layout::ProcId task, const char* cpus, Words arguments = {"./train"},
                    pid_t parent = 1) {
  return {.pid = pid,
          .parent = parent,
          .procid = task,
          .name = "python",
          .arguments = std::move(arguments),
          .accelerate_binds = false,
          .cpus = CpuSet::parse(cpus)};
}

std::string only_line(const Lines& lines) {
  EXPECT_EQ(lines.size(), 1U);
  return lines.empty() ? "" : lines.front();
}

TEST(AffinityChanges, SaysNothingOfTasksThatStayWhereTheyWereBound) {
  AffinityChanges changes(plan(), {"./train"});
  EXPECT_TRUE(changes.new_lines({process(10, 2, "0-3"), process(11, 3, "4-7")}).empty());
  EXPECT_TRUE(changes.new_lines({}).empty());
}

TEST(AffinityChanges, LeavesNarrowerCpusToTheProgram) {
  AffinityChanges changes(plan(), {"./train"});
  EXPECT_TRUE(changes.new_lines({process(10, 2, "1"), process(11, 2, "2-3")}).empty());
}

TEST(AffinityChanges, NamesRankNodeProcessAndBothSetsOfCpus) {
  AffinityChanges changes(plan(), {"numactl", "-C", "0-7", "./train"});
  EXPECT_EQ(only_line(changes.new_lines({process(4711, 3, "0-7")})),
            "rank 3 on node1 (python, pid 4711) now runs on CPUs 0-7, although muster bound it "
            "to 4-7: it was bound again by numactl; leave numactl out, or use bind=none");
}

TEST(AffinityChanges, TellsEachChangeOnce) {
  AffinityChanges changes(plan(), {"./train"});
  EXPECT_EQ(changes.new_lines({process(10, 2, "0-7"), process(11, 2, "0-7")}).size(), 1U);
  EXPECT_TRUE(changes.new_lines({process(10, 2, "0-7"), process(12, 2, "0-7")}).empty());
  EXPECT_EQ(changes.new_lines({process(10, 2, "5")}).size(), 1U);
  EXPECT_EQ(changes.new_lines({process(10, 3, "0-7")}).size(), 1U);
}

TEST(AffinityChanges, DoesNotTellOfEveryWorkerThatGoesItsOwnWay) {
  AffinityChanges changes(plan(), {"./train"});
  std::vector<TaskProcess> workers;
  for (int i = 0; i < 50; ++i) {
    workers.push_back(process(10 + i, 2, std::to_string(10 + i).c_str()));
  }
  EXPECT_EQ(changes.new_lines(workers).size(), 3U);
}

TEST(AffinityChanges, LeavesTasksAloneThatWereNeverBound) {
  AffinityChanges changes(plan(), {"./train"});
  EXPECT_TRUE(changes.new_lines({process(10, 4, "0-63"), process(11, 99, "0-63")}).empty());
  changes.forget(0);
  EXPECT_TRUE(changes.new_lines({process(12, 2, "0-63")}).empty());
  EXPECT_FALSE(changes.idle());
  changes.forget(1);
  EXPECT_TRUE(changes.idle());
}

TEST(AffinityChanges, NamesAToolAmongTheProcessesAbove) {
  AffinityChanges changes(plan(), {"./job.sh"});
  const auto lines = changes.new_lines(
      {process(10, 2, "0-3", {"bash", "./job.sh"}),
       process(11, 2, "0-3", {"python", "/opt/bin/torchrun", "--numa-binding=node", "t.py"}, 10),
       process(12, 2, "0-7", {"python", "t.py"}, 11)});
  EXPECT_NE(only_line(lines).find("again by torchrun --numa-binding;"), std::string::npos);
}

TEST(AffinityChanges, KnowsAccelerateByTheVariableThatItReads) {
  AffinityChanges changes(plan(), {"./train"});
  auto worker = process(10, 2, "0-7");
  worker.accelerate_binds = true;
  EXPECT_NE(only_line(changes.new_lines({worker})).find("by accelerate; unset ACCELERATE_CPU_"),
            std::string::npos);
}

TEST(AffinityChanges, BlamesNobodyItDoesNotKnow) {
  AffinityChanges changes(plan(), {"./train"});
  // Two processes that are each other's parent: process ids were reused while /proc was read.
  const auto lines = changes.new_lines(
      {process(10, 2, "9", {"./train"}, 11), process(11, 2, "0", {"./train"}, 10)});
  EXPECT_NE(
      only_line(lines).find("by the program itself, by a tool that it calls, or by another plugin"),
      std::string::npos);
}

TEST(BindingTool, IsFoundByItsNameWhereverItIsCalled) {
  EXPECT_EQ(binding_tool({"numactl", "-N0", "./train"}), "numactl");
  EXPECT_EQ(binding_tool({"/usr/bin/taskset", "-c", "0", "./train"}), "taskset");
  EXPECT_EQ(binding_tool({"bash", "-c", "cd x; exec hwloc-bind core:0 -- ./train"}), "hwloc-bind");
  EXPECT_EQ(binding_tool({}), "");
  EXPECT_EQ(binding_tool({"./numactl.sh", "mytaskset", ""}), "");
}

TEST(BindingTool, IsALauncherOnlyWhereItWasAskedToBind) {
  EXPECT_EQ(binding_tool({"torchrun", "--nproc-per-node=2", "t.py"}), "");
  EXPECT_EQ(binding_tool({"torchrun", "--numa_binding", "node", "t.py"}),
            "torchrun --numa-binding");
  EXPECT_EQ(binding_tool({"python3", "-m", "torch.distributed.run", "--numa-binding=node"}),
            "torch.distributed.run --numa-binding");
  EXPECT_EQ(binding_tool({"accelerate", "launch", "t.py"}), "");
  EXPECT_EQ(binding_tool({"accelerate", "launch", "--enable_cpu_affinity", "t.py"}),
            "accelerate --enable_cpu_affinity");
}

}  // namespace
}  // namespace muster::task_watch
