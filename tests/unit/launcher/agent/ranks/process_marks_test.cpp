#include "launcher/agent/ranks/process_marks.hpp"

#include "unit/launcher/agent/ranks/script.hpp"

#include <algorithm>

namespace muster::ranks {
namespace {

using namespace std::string_literals;
using Groups = std::set<std::string>;

RankSigns signs(std::set<pid_t> pids) {
  return {.step = "42.0", .pids = std::move(pids), .task_groups = {}, .first_start = 0};
}

TEST(ProcessMarks, KnowsARankByStepAndTask) {
  EXPECT_EQ(mark_of("A=1\0MUSTER_STEP=42.0\0SLURM_TASK_PID=7\0"s, signs({7})), Mark::rank);
  EXPECT_EQ(mark_of("SLURM_TASK_PID=7\0MUSTER_STEP=42.0"s, signs({7})), Mark::rank);
}

TEST(ProcessMarks, KnowsAnotherTask) {
  EXPECT_EQ(mark_of("MUSTER_STEP=42.0\0SLURM_TASK_PID=8\0"s, signs({7})), Mark::another);
  EXPECT_EQ(mark_of("MUSTER_STEP=42.1\0SLURM_TASK_PID=7\0"s, signs({7})), Mark::another);
  EXPECT_EQ(mark_of("SLURM_TASK_PID=7\0"s, signs({7})), Mark::another);
  EXPECT_EQ(mark_of("MUSTER_STEP=42.0\0SLURM_TASK_PID=7x\0"s, signs({7})), Mark::another);
}

TEST(ProcessMarks, KnowsNothingOfAProcessThatNamesNoTask) {
  EXPECT_EQ(mark_of("", signs({7})), Mark::none);
  EXPECT_EQ(mark_of("SLURM_TASK_PID"s, signs({7})), Mark::none);
  EXPECT_EQ(mark_of("MUSTER_STEP=42.0\0HOME=/\0"s, signs({7})), Mark::none);
}

TEST(ProcessMarks, TakesTheControlGroupsOfOneTaskOnly) {
  EXPECT_EQ(task_groups_of(
                std::string_view("9:memory:/slurm/uid_1/job_2/step_0/task_1\n"
                                 "8:freezer:/slurm/uid_1/job_2/step_0\n"
                                 "7:cpuset:/slurm/uid_1/job_2/step_0/task_special\n"
                                 "0::/system.slice/slurmstepd.scope/job_2/step_0/user/task_1\n")),
            (Groups{"9:memory:/slurm/uid_1/job_2/step_0/task_1",
                    "0::/system.slice/slurmstepd.scope/job_2/step_0/user/task_1"}));
  EXPECT_EQ(task_groups_of(std::string_view("0::/\n1:memory:/task_1\n")), Groups{});
}

TEST(ProcessMarks, ShowsThisUsersProcessesWithTheirMarks) {
  Script script("echo ready; sleep 60", {"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"});
  EXPECT_EQ(script.line(), "ready");
  const auto table = marked_processes("/proc", signs({script.pid()}), geteuid());
  const auto found =
      std::ranges::find(table, script.pid(), [](const auto& e) { return e.stat.pid; });
  ASSERT_NE(found, table.end());
  EXPECT_EQ(found->environment, Mark::rank);
  EXPECT_EQ(found->stat.parent, getpid());
  EXPECT_EQ(found->stat.session, script.pid());
}

TEST(ProcessMarks, LooksAtNoProcessThatIsOlderThanTheRanks) {
  Script script("echo ready; sleep 60", {"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"});
  EXPECT_EQ(script.line(), "ready");
  auto ranks = signs({script.pid()});
  ranks.first_start = UINT64_MAX;
  const auto table = marked_processes("/proc", ranks, geteuid());
  const auto found =
      std::ranges::find(table, script.pid(), [](const auto& e) { return e.stat.pid; });
  ASSERT_NE(found, table.end());
  EXPECT_EQ(found->environment, Mark::none);
}

// While a process starts another program, it has no environment for a moment: one read in twenty falls into
// that moment. On a busy machine the moment may be longer than a read waits.
TEST(ProcessMarks, SeesTheMarkOfAProcessThatStartsProgramsAllTheTime) {
  Script script("self='exec sh -c \"$0\" \"$0\"'; echo ready; exec sh -c \"$self\" \"$self\"",
                {"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"});
  EXPECT_EQ(script.line(), "ready");
  constexpr int looks = 300;
  int missed = 0;
  for (int i = 0; i < looks; ++i) {
    const auto table = marked_processes("/proc", signs({script.pid()}), geteuid());
    const auto found =
        std::ranges::find(table, script.pid(), [](const auto& e) { return e.stat.pid; });
    ASSERT_NE(found, table.end());
    if (found->environment != Mark::rank) ++missed;
  }
  EXPECT_LE(missed, looks / 100);
}

}  // namespace
}  // namespace muster::ranks
