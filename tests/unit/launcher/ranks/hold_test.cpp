#include "launcher/ranks/hold.hpp"

#include "unit/launcher/ranks/script.hpp"

namespace muster::ranks {
namespace {

const std::vector<std::string> environment_of_task{"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"};

// With one rank.
Ranks ranks_with(const Script& script) {
  Ranks ranks({{.rank = 0, .local_rank = 0}}, "42.0", 0);
  wire::TasksStarted started;
  started.pids.push_back(static_cast<std::uint32_t>(script.pid()));
  ranks.started(started, std::chrono::steady_clock::now());
  return ranks;
}

char state_of(pid_t pid) {
  const auto stat = stat_of("/proc", pid);
  return stat ? stat->state : '-';
}

TEST(Hold, StopsARankWithItsChildrenAndLetsThemGoOn) {
  Script rank("sleep 60 & echo $!; wait", environment_of_task);
  const pid_t child = std::stoi(rank.line());
  const auto ranks = ranks_with(rank);
  Hold hold;
  EXPECT_FALSE(hold.holds());
  hold.stop(ranks);
  EXPECT_TRUE(hold.holds());
  EXPECT_TRUE(comes_true([&] { return state_of(rank.pid()) == 'T' && state_of(child) == 'T'; }));
  hold.go_on();
  EXPECT_FALSE(hold.holds());
  EXPECT_TRUE(comes_true([&] { return state_of(rank.pid()) == 'S' && state_of(child) == 'S'; }));
  kill(child, SIGKILL);
}

TEST(Hold, LeavesAloneWhatSomebodyElseHasStopped) {
  Script rank("sleep 60 & echo $!; wait", environment_of_task);
  const pid_t child = std::stoi(rank.line());
  const auto ranks = ranks_with(rank);
  kill(child, SIGSTOP);
  ASSERT_TRUE(comes_true([&] { return state_of(child) == 'T'; }));
  Hold hold;
  hold.stop(ranks);
  hold.go_on();
  EXPECT_TRUE(comes_true([&] { return state_of(rank.pid()) == 'S'; }));
  EXPECT_EQ(state_of(child), 'T');
  kill(child, SIGKILL);
}

TEST(Hold, StopsAgainWhatSomebodyElseLetsGoOn) {
  Script rank("echo ready; sleep 60", environment_of_task);
  EXPECT_EQ(rank.line(), "ready");
  const auto ranks = ranks_with(rank);
  Hold hold;
  hold.stop(ranks);
  ASSERT_TRUE(comes_true([&] { return state_of(rank.pid()) == 'T'; }));
  kill(rank.pid(), SIGCONT);
  ASSERT_TRUE(comes_true([&] { return state_of(rank.pid()) != 'T'; }));
  hold.stop(ranks);
  EXPECT_TRUE(comes_true([&] { return state_of(rank.pid()) == 'T'; }));
}

TEST(Hold, StopsARankThatStartsOneChildAfterTheOther) {
  Script rank("echo ready; while :; do sleep 0.001 & wait; done", environment_of_task);
  EXPECT_EQ(rank.line(), "ready");
  const auto ranks = ranks_with(rank);
  Hold hold;
  hold.stop(ranks);
  EXPECT_TRUE(comes_true([&] { return state_of(rank.pid()) == 'T'; }));
  hold.stop(ranks);  // as the agent does
  for (const auto& stat : ranks.below()) EXPECT_TRUE(stat.state == 'T' || stat.state == 'Z');
}

// The agent's part is played by a child of the test's.
TEST(Hold, KillsTheRanksWhereTheirAgentDiesMeanwhile) {
  Script rank("sleep 60 & echo $!; wait", environment_of_task);
  const pid_t child = std::stoi(rank.line());
  const auto ranks = ranks_with(rank);
  const pid_t agent = fork();
  if (agent == 0) {
    Hold hold;
    hold.stop(ranks);
    raise(SIGSTOP);
    _exit(1);
  }
  ASSERT_TRUE(comes_true([&] { return state_of(agent) == 'T'; }));
  EXPECT_EQ(state_of(rank.pid()), 'T');
  kill(agent, SIGKILL);
  waitpid(agent, nullptr, 0);
  EXPECT_EQ(in_words(rank.status()), "signal 9");
  EXPECT_TRUE(comes_true([child] { return !is_there(child); }));
}

TEST(Hold, KillsNobodyWhenTheRanksGoOn) {
  Script rank("echo ready; read line; exit 3", environment_of_task);
  EXPECT_EQ(rank.line(), "ready");
  const auto ranks = ranks_with(rank);
  {
    Hold hold;
    hold.stop(ranks);
    hold.go_on();
  }
  rank.go_on();
  EXPECT_EQ(in_words(rank.status()), "code 3");
}

}  // namespace
}  // namespace muster::ranks
