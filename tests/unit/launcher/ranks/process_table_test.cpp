#include "launcher/ranks/process_table.hpp"

#include "unit/launcher/ranks/script.hpp"

#include <algorithm>

namespace muster::ranks {
namespace {

using namespace std::string_literals;
using Groups = std::set<std::string>;

RankSigns signs(std::set<pid_t> pids) {
  return {.step = "42.0", .pids = std::move(pids), .task_groups = {}};
}

TEST(ProcessTable, KnowsARankByStepAndTask) {
  EXPECT_EQ(mark_of("A=1\0MUSTER_STEP=42.0\0SLURM_TASK_PID=7\0"s, signs({7})), Mark::rank);
  EXPECT_EQ(mark_of("SLURM_TASK_PID=7\0MUSTER_STEP=42.0"s, signs({7})), Mark::rank);
}

TEST(ProcessTable, KnowsAnotherTask) {
  EXPECT_EQ(mark_of("MUSTER_STEP=42.0\0SLURM_TASK_PID=8\0"s, signs({7})), Mark::another);
  EXPECT_EQ(mark_of("MUSTER_STEP=42.1\0SLURM_TASK_PID=7\0"s, signs({7})), Mark::another);
  EXPECT_EQ(mark_of("SLURM_TASK_PID=7\0"s, signs({7})), Mark::another);
  EXPECT_EQ(mark_of("MUSTER_STEP=42.0\0SLURM_TASK_PID=7x\0"s, signs({7})), Mark::another);
}

TEST(ProcessTable, KnowsNothingOfAProcessThatNamesNoTask) {
  EXPECT_EQ(mark_of("", signs({7})), Mark::none);
  EXPECT_EQ(mark_of("SLURM_TASK_PID"s, signs({7})), Mark::none);
  EXPECT_EQ(mark_of("MUSTER_STEP=42.0\0HOME=/\0"s, signs({7})), Mark::none);
}

TEST(ProcessTable, TakesTheControlGroupsOfOneTaskOnly) {
  EXPECT_EQ(task_groups_of(
                std::string_view("9:memory:/slurm/uid_1/job_2/step_0/task_1\n"
                                 "8:freezer:/slurm/uid_1/job_2/step_0\n"
                                 "7:cpuset:/slurm/uid_1/job_2/step_0/task_special\n"
                                 "0::/system.slice/slurmstepd.scope/job_2/step_0/user/task_1\n")),
            (Groups{"9:memory:/slurm/uid_1/job_2/step_0/task_1",
                    "0::/system.slice/slurmstepd.scope/job_2/step_0/user/task_1"}));
  EXPECT_EQ(task_groups_of(std::string_view("0::/\n1:memory:/task_1\n")), Groups{});
}

TEST(ProcessTable, ShowsThisUsersProcessesWithTheirMarks) {
  Script script("echo ready; sleep 60", {"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"});
  EXPECT_EQ(script.line(), "ready");
  const auto table = process_table("/proc", signs({script.pid()}), geteuid());
  const auto found =
      std::ranges::find(table, script.pid(), [](const auto& e) { return e.stat.pid; });
  ASSERT_NE(found, table.end());
  EXPECT_EQ(found->environment, Mark::rank);
  EXPECT_EQ(found->stat.parent, getpid());
  EXPECT_EQ(found->stat.session, script.pid());
}

}  // namespace
}  // namespace muster::ranks
