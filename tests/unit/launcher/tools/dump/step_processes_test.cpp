#include "launcher/tools/dump/step_processes.hpp"

#include "unit/launcher/agent/ranks/script.hpp"

#include <algorithm>
#include <string>

namespace muster::dump {
namespace {

using namespace std::string_literals;
using ranks::Script;

const std::string of_rank_3 =
    "SLURM_JOB_ID=42\0SLURM_STEP_ID=1\0SLURM_PROCID=3\0SLURM_TASK_PID=777\0SLURMD_NODENAME=n1\0"s;

TEST(RankSign, IsInTheEnvironmentThatSlurmGivesATask) {
  EXPECT_EQ(rank_sign(of_rank_3), (RankSign{"42.1", "n1", 3, 777}));
  EXPECT_FALSE(rank_sign("SLURM_JOB_ID=42\0SLURM_STEP_ID=1\0SLURM_PROCID=3\0"s));
  EXPECT_FALSE(rank_sign(""));
}

TEST(RankSign, IsRankWhereMusterHasSetItForThisStep) {
  EXPECT_EQ(rank_sign(of_rank_3 + "MUSTER_STEP=42.1\0RANK=5\0"s)->rank, 5U);
  EXPECT_EQ(rank_sign(of_rank_3 + "MUSTER_STEP=42.0\0RANK=5\0"s)->rank, 3U);
  EXPECT_EQ(rank_sign(of_rank_3 + "RANK=5\0"s)->rank, 3U);
}

TEST(RankSign, OfMusterRunIsMustersOwn) {
  const auto of_run = "MUSTER_STEP=123456789.0\0RANK=2\0MUSTER_TASK_PID=777\0"s;
  EXPECT_EQ(rank_sign(of_run), (RankSign{"123456789.0", "", 2, 777}));
  EXPECT_EQ(rank_sign(of_rank_3 + of_run)->step, "42.1");
  EXPECT_FALSE(rank_sign("MUSTER_STEP=123456789.0\0RANK=2\0"s));
}

std::vector<std::string> task(const std::string& step, int rank) {
  return {"SLURM_JOB_ID=4215", "SLURM_STEP_ID=" + step, "SLURM_PROCID=" + std::to_string(rank),
          "SLURM_TASK_PID=SELF", "SLURMD_NODENAME=node1"};
}

std::vector<StepProcess> found(const std::string& step, const std::string& node = "node1") {
  return step_processes("/proc", step, node, geteuid());
}

TEST(StepProcesses, AreTheTasksAndWhatTheyHaveStarted) {
  Script one("echo ready; read end", task("3", 1));
  Script zero("sleep 1000 & env -i sleep 1000 & echo ready; wait", task("3", 0));
  Script other("echo ready; read end", task("4", 0));
  for (auto* const script : {&one, &zero, &other}) ASSERT_EQ(script->line(), "ready");
  ASSERT_TRUE(ranks::comes_true([] { return found("4215.3").size() == 4; }));
  const auto processes = found("4215.3");
  EXPECT_EQ(processes[0].stat.pid, zero.pid());
  EXPECT_EQ(processes[0].parent, 0);
  for (const int child : {1, 2}) {
    EXPECT_EQ(processes[child].rank, 0U);
    EXPECT_EQ(processes[child].parent, zero.pid());
  }
  EXPECT_EQ(processes[3].stat.pid, one.pid());
  EXPECT_EQ(processes[3].rank, 1U);
  for (std::size_t child : {1, 2}) kill(processes[child].stat.pid, SIGKILL);
}

TEST(StepProcesses, AreOfThisNodeAndThisUser) {
  Script script("echo ready; read end", task("5", 0));
  ASSERT_EQ(script.line(), "ready");
  EXPECT_EQ(found("4215.5").size(), 1U);
  EXPECT_EQ(found("4215.5", "").size(), 1U);
  EXPECT_TRUE(found("4215.5", "node2").empty());
  EXPECT_TRUE(step_processes("/proc", "4215.5", "node1", geteuid() + 1).empty());
}

}  // namespace
}  // namespace muster::dump
