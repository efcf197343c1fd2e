#include "launcher/agent/ranks/hold.hpp"

#include "unit/launcher/agent/ranks/guard.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <optional>

namespace muster::ranks {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const std::vector<std::string> environment_of_task{"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"};

// Ranks with one rank.
Ranks ranks_with(const Script& script) {
  Ranks ranks({{.rank = 0, .local_rank = 0}}, "42.0", 0);
  wire::TasksStarted started;
  started.pids.push_back(static_cast<std::uint32_t>(script.pid()));
  ranks.started(started, Clock::now());
  return ranks;
}

char state_of(pid_t pid) {
  const auto stat = stat_of("/proc", pid);
  return stat ? stat->state : '-';
}

bool becomes(pid_t pid, char state) {
  return comes_true([=] { return state_of(pid) == state; });
}

class HoldTest : public testing::Test {
 protected:
  HoldTest() : rank_("sleep 60 & echo $!; wait $!; exit 3", environment_of_task) {
    child_ = std::stoi(rank_.line());
    ranks_.emplace(ranks_with(rank_));
  }
  ~HoldTest() override { kill(child_, SIGKILL); }

  [[nodiscard]] bool both_become(char state) const {
    return becomes(rank_.pid(), state) && becomes(child_, state);
  }

  // The rank, which waits for its child, is in the state it would be in if nothing had touched it.
  void expect_that_the_rank_runs() {
    EXPECT_TRUE(both_become('S'));
    kill(child_, SIGTERM);
    EXPECT_EQ(in_words(rank_.status()), "code 3");
  }

  Script rank_;
  pid_t child_ = -1;
  std::optional<Ranks> ranks_;
};

TEST_F(HoldTest, StopsARankWithItsChildrenAndLetsThemGoOn) {
  Hold hold(*ranks_);
  EXPECT_FALSE(hold.holds());
  hold.stop();
  EXPECT_TRUE(hold.holds());
  EXPECT_TRUE(both_become('T'));
  hold.allow(Clock::now() + 1h);
  EXPECT_FALSE(hold.holds());
  expect_that_the_rank_runs();
}

TEST_F(HoldTest, StopsAgainWhatSomebodyElseLetsGoOn) {
  Hold hold(*ranks_);
  hold.stop();
  kill(await_guard_of(getpid()), SIGSTOP);  // the guard would do it as well
  ASSERT_TRUE(both_become('T'));
  kill(rank_.pid(), SIGCONT);
  ASSERT_TRUE(becomes(rank_.pid(), 'S'));
  hold.stop();
  EXPECT_TRUE(both_become('T'));
}

// What runs here does so only in the test: the agent calls it while Slurm keeps the ranks from running.
TEST_F(HoldTest, LeavesRanksAloneThatSomethingElseKeepsFromRunning) {
  Hold hold(*ranks_);
  hold.stop();
  kill(await_guard_of(getpid()), SIGSTOP);  // where this test is slow, the guard would stop them
  ASSERT_TRUE(both_become('T'));
  kill(rank_.pid(), SIGCONT);
  ASSERT_TRUE(becomes(rank_.pid(), 'S'));
  hold.keep();
  EXPECT_TRUE(hold.holds());
  EXPECT_EQ(state_of(rank_.pid()), 'S');
  hold.stop();
  EXPECT_TRUE(both_become('T'));
}

TEST(Hold, StopsARankThatStartsOneChildAfterTheOther) {
  Script rank("echo ready; while :; do sleep 0.001 & wait; done", environment_of_task);
  EXPECT_EQ(rank.line(), "ready");
  const auto ranks = ranks_with(rank);
  Hold hold(ranks);
  hold.stop();
  EXPECT_TRUE(becomes(rank.pid(), 'T'));
  hold.stop();  // as the agent does
  for (const auto& stat : ranks.below()) EXPECT_TRUE(stat.state == 'T' || stat.state == 'Z');
}

// The agent is a child of the test and does what the test asks for, one letter at a time.
class GuardTest : public HoldTest {
 protected:
  GuardTest() {
    std::array<int, 2> orders{-1, -1};
    std::array<int, 2> answers{-1, -1};
    if (pipe2(orders.data(), O_CLOEXEC) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0)
      ADD_FAILURE() << "no pipe";
    agent_ = fork();
    if (agent_ == 0) {
      close(orders[1]);
      close(answers[0]);
      be_agent(orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    orders_ = orders[1];
    answers_ = answers[0];
  }
  ~GuardTest() override {
    kill_agent();
    close(orders_);
    close(answers_);
  }

  // "a": they may run for a short time. "A": for an hour. "s": they must not run. "c": more is known about
  // them. "f": they are forgotten. "x" is not answered: the agent closes its end of the answers.
  void ask(char order) const {
    EXPECT_EQ(write(orders_, &order, 1), 1);
    char answer = 0;
    EXPECT_EQ(read(answers_, &answer, 1), 1);
    EXPECT_EQ(answer, order);
  }

  void stop_agent() const {
    kill(agent_, SIGSTOP);
    ASSERT_TRUE(becomes(agent_, 'T'));
  }

  void kill_agent() {
    if (agent_ <= 0) return;
    kill(agent_, SIGKILL);
    waitpid(agent_, nullptr, 0);
    agent_ = -1;
  }

  [[nodiscard]] pid_t guard() const { return await_guard_of(agent_); }

  // Only the agent holds the other end.
  [[nodiscard]] bool agents_answers_end() const {
    char byte = 0;
    pollfd ready{answers_, POLLIN, 0};
    return poll(&ready, 1, 20'000) > 0 && read(answers_, &byte, 1) == 0;
  }

  static constexpr auto short_time = 200ms;
  pid_t agent_ = -1;
  int orders_ = -1;

 private:
  [[noreturn]] void be_agent(int orders, int answers) {
    Hold hold(*ranks_);
    for (char order = 0; read(orders, &order, 1) == 1;) {
      if (order == 'a') hold.allow(Clock::now() + short_time);
      if (order == 'A') hold.allow(Clock::now() + 1h);
      if (order == 's') hold.stop();
      if (order == 'c') hold.ranks_have_changed();
      if (order == 'f') hold.forget();
      if (order == 'x') close(answers);
      if (order != 'x' && write(answers, &order, 1) != 1) _exit(1);
    }
    _exit(0);
  }

  int answers_ = -1;
};

TEST_F(GuardTest, StopsTheRanksOfAnAgentThatIsStoppedAndTheAgentLetsThemGoOn) {
  ask('a');
  stop_agent();
  EXPECT_TRUE(both_become('T'));
  kill(agent_, SIGCONT);
  ask('A');
  expect_that_the_rank_runs();
}

TEST_F(GuardTest, StopsAgainWhatSomebodyElseLetsGoOn) {
  ask('a');
  stop_agent();
  for (int time = 0; time < 3; ++time) {
    ASSERT_TRUE(both_become('T'));
    kill(rank_.pid(), SIGCONT);
    kill(child_, SIGCONT);
  }
  EXPECT_TRUE(both_become('T'));
}

TEST_F(GuardTest, TakesOverARankThatTheStoppedAgentHolds) {
  ask('s');
  stop_agent();
  ASSERT_TRUE(both_become('T'));
  kill(rank_.pid(), SIGCONT);
  ASSERT_TRUE(comes_true([&] { return state_of(rank_.pid()) != 'T'; }));
  EXPECT_TRUE(both_become('T'));
  kill(agent_, SIGCONT);
  ask('A');
  expect_that_the_rank_runs();
}

TEST_F(GuardTest, LeavesRanksAloneThatMayRun) {
  const auto until = Clock::now() + 3 * short_time;
  while (Clock::now() < until) ask('a');
  ask('A');
  stop_agent();
  std::this_thread::sleep_for(2 * short_time);
  expect_that_the_rank_runs();
}

TEST_F(GuardTest, KnowsWhatAnEarlierOneHasStopped) {
  ask('a');
  stop_agent();
  EXPECT_TRUE(both_become('T'));
  kill(agent_, SIGCONT);
  ask('c');
  ask('c');
  ask('A');
  expect_that_the_rank_runs();
}

// Stopped by the agent, or by its guard.
class ForeignStopTest : public GuardTest, public testing::WithParamInterface<char> {};

TEST_P(ForeignStopTest, IsLeftAlone) {
  kill(child_, SIGSTOP);
  ASSERT_TRUE(becomes(child_, 'T'));
  ask(GetParam());
  stop_agent();
  ASSERT_TRUE(becomes(rank_.pid(), 'T'));
  kill(agent_, SIGCONT);
  ask('A');
  EXPECT_TRUE(becomes(rank_.pid(), 'S'));
  EXPECT_EQ(state_of(child_), 'T');
}

INSTANTIATE_TEST_SUITE_P(Hold, ForeignStopTest, testing::Values('s', 'a'));

class AbandonedTest : public GuardTest, public testing::WithParamInterface<char> {};

TEST_P(AbandonedTest, RanksThatStandStillAreKilledWhenTheirAgentDies) {
  ask(GetParam());
  stop_agent();
  ASSERT_TRUE(both_become('T'));
  const auto guard = this->guard();
  kill_agent();
  EXPECT_EQ(in_words(rank_.status()), "signal 9");
  EXPECT_TRUE(comes_true([&] { return !is_there(child_) && !is_there(guard); }));
}

INSTANTIATE_TEST_SUITE_P(Hold, AbandonedTest, testing::Values('s', 'a'));

TEST_F(GuardTest, EndsWithAnAgentWhoseRanksMayRunAndLeavesThemAlone) {
  ask('A');
  const auto guard = this->guard();
  kill_agent();
  EXPECT_TRUE(comes_true([&] { return !is_there(guard); }));
  expect_that_the_rank_runs();
}

TEST_F(GuardTest, IsOneProcessAndEndsWhenTheRanksAreForgotten) {
  ask('A');
  const auto first = guard();
  ask('A');
  EXPECT_EQ(guard(), first);
  ask('c');
  EXPECT_NE(guard(), first);
  EXPECT_FALSE(is_there(first));
  ask('f');
  EXPECT_EQ(guard_of(agent_), 0);
  ask('c');
  EXPECT_EQ(guard_of(agent_), 0);
}

TEST_F(GuardTest, IsReplacedWhenSomebodyHasKilledIt) {
  ask('A');
  const auto first = guard();
  kill(first, SIGKILL);
  ASSERT_TRUE(comes_true([&] { return state_of(first) == 'Z' || !is_there(first); }));
  ask('A');
  EXPECT_NE(guard(), first);
  EXPECT_FALSE(is_there(first));
}

TEST_F(GuardTest, IsNotNeededByAnAgentThatRuns) {
  ask('A');
  kill(guard(), SIGSTOP);
  ASSERT_TRUE(becomes(guard(), 'T'));
  ask('s');
  EXPECT_TRUE(both_become('T'));
  ask('A');
  EXPECT_TRUE(both_become('S'));
  EXPECT_TRUE(becomes(guard(), 'S')) << "it is another one";
  kill(guard(), SIGSTOP);
  ask('f');
  EXPECT_EQ(guard_of(agent_), 0);
}

TEST_F(GuardTest, HoldsNoEndOfWhatItsAgentHasOpen) {
  ask('A');
  ASSERT_EQ(write(orders_, "x", 1), 1);
  EXPECT_TRUE(agents_answers_end());
  EXPECT_GT(guard(), 0);
}

}  // namespace
}  // namespace muster::ranks
