#include "launcher/agent/ranks/ranks.hpp"

#include "fixtures/scratch_directory.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

namespace muster::ranks {
namespace {

const std::vector<std::string> task_environment{"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"};
constexpr pid_t no_parent = 0;

// The ranks of these processes.
Ranks ranks_of(const std::vector<const Script*>& scripts) {
  std::vector<report::RankPlace> places;
  wire::TasksStarted started;
  for (const auto* const script : scripts) {
    const auto rank = static_cast<std::uint32_t>(places.size());
    places.push_back({.rank = rank, .local_rank = rank});
    started.pids.push_back(static_cast<std::uint32_t>(script->pid()));
  }
  Ranks ranks(places, "42.0", no_parent);
  ranks.started(started, std::chrono::steady_clock::now());
  return ranks;
}

TEST(Ranks, AreTerminatedWithTheirChildren) {
  Script rank("sleep 60 & echo $!; wait");
  const pid_t child = std::stoi(rank.line());
  auto ranks = ranks_of({&rank});
  EXPECT_TRUE(ranks.signal({SIGTERM, SIGCONT}));
  EXPECT_EQ(in_words(rank.status()), "signal 15");
  EXPECT_TRUE(comes_true([child] { return !is_there(child); }));
  EXPECT_TRUE(ranks.all().front().signalled);
  EXPECT_FALSE(ranks.any_runs());
}

TEST(Ranks, AreTerminatedAlsoWhileTheyAreStopped) {
  Script rank("kill -STOP $$; sleep 60");
  ASSERT_TRUE(comes_true([&] { return stat_of("/proc", rank.pid())->state == 'T'; }));
  auto ranks = ranks_of({&rank});
  EXPECT_TRUE(ranks.signal({SIGTERM, SIGCONT}));
  EXPECT_EQ(in_words(rank.status()), "signal 15");
}

// print() could raise here: the signal may arrive within another print().
constexpr const char* saves_on_term =
    "import os, signal, sys, time\n"
    "def save(*_):\n"
    "  os.write(1, b'saves\\n'); time.sleep(0.3); os.write(1, b'saved\\n'); sys.exit(0)\n"
    "signal.signal(signal.SIGTERM, save)\n";

std::string python(const std::string& text) {
  return "python3 -c \"" + text + "\"";
}

TEST(Ranks, AreAskedToStopWithoutTheChildrenOfAPythonProgramThatSaves) {
  Script rank("exec " +
              python(std::string(saves_on_term) +
                     "child = os.fork()\n"
                     "if not child: signal.signal(signal.SIGTERM, signal.SIG_DFL); time.sleep(60)\n"
                     "print(child, flush=True)\n"
                     "os.waitpid(child, 0); print('child ended', flush=True)"));
  const pid_t child = std::stoi(rank.line());
  auto ranks = ranks_of({&rank});
  EXPECT_TRUE(ranks.ask_to_stop());
  EXPECT_EQ(rank.line(), "saves");
  EXPECT_TRUE(is_there(child));
  EXPECT_TRUE(ranks.ask_to_stop());  // does not ask again while the program saves
  EXPECT_EQ(rank.line(), "saved");
  EXPECT_EQ(in_words(rank.status()), "code 0");
  kill(child, SIGKILL);
}

TEST(Ranks, AreAskedToStopWithoutTheShellAboveAProgramThatSaves) {
  Script rank(python(std::string(saves_on_term) + "print('ready', flush=True); time.sleep(60)") +
              "; exit 7");
  EXPECT_EQ(rank.line(), "ready");
  auto ranks = ranks_of({&rank});
  EXPECT_TRUE(ranks.ask_to_stop());
  EXPECT_EQ(rank.line(), "saves");
  EXPECT_EQ(rank.line(), "saved");
  EXPECT_EQ(in_words(rank.status()), "code 7");
}

TEST(Ranks, AreAskedToStopAgainByTheNextProgramOfTheirShell) {
  Script rank(python(std::string(saves_on_term) + "print('ready', flush=True); time.sleep(60)") +
              "; echo next; sleep 60");
  EXPECT_EQ(rank.line(), "ready");
  auto ranks = ranks_of({&rank});
  EXPECT_TRUE(ranks.ask_to_stop());
  EXPECT_EQ(rank.line(), "saves");
  EXPECT_EQ(rank.line(), "saved");
  EXPECT_EQ(rank.line(), "next");
  EXPECT_TRUE(comes_true([&] {
    ranks.ask_to_stop();
    return rank.reap();
  }));
  EXPECT_EQ(in_words(rank.status()), "signal 15");
}

TEST(Ranks, AreAskedToStopWithAllTheirChildrenIfNoneSaves) {
  Script rank("sleep 60 & echo $!; wait");
  const pid_t child = std::stoi(rank.line());
  auto ranks = ranks_of({&rank});
  EXPECT_TRUE(ranks.ask_to_stop());
  EXPECT_EQ(in_words(rank.status()), "signal 15");
  EXPECT_TRUE(comes_true([child] { return !is_there(child); }));
  EXPECT_TRUE(ranks.all().front().signalled);
  EXPECT_FALSE(ranks.ask_to_stop());
}

TEST(Ranks, AreKilledWhereTheyIgnoreSigterm) {
  Script rank("trap '' TERM; echo ready; while :; do sleep 1; done");
  EXPECT_EQ(rank.line(), "ready");
  auto ranks = ranks_of({&rank});
  EXPECT_TRUE(ranks.signal({SIGTERM, SIGCONT}));
  EXPECT_TRUE(ranks.any_runs());
  EXPECT_TRUE(ranks.signal({SIGKILL}));
  EXPECT_EQ(in_words(rank.status()), "signal 9");
}

TEST(Ranks, AreKilledInTheirTeardown) {
  Script rank("trap 'echo teardown; while :; do sleep 1; done' TERM; echo ready; sleep 60 & wait");
  EXPECT_EQ(rank.line(), "ready");
  auto ranks = ranks_of({&rank});
  ranks.signal({SIGTERM, SIGCONT});
  EXPECT_EQ(rank.line(), "teardown");
  ranks.signal({SIGKILL});
  EXPECT_EQ(in_words(rank.status()), "signal 9");
}

// In its own session, with a parent that has ended, and with the rank's output.
TEST(Ranks, LeaveNoGrandchildThatHoldsTheirOutput) {
  Script rank("setsid sh -c 'sleep 60 & exec sleep 61' & exit 5", task_environment);
  auto ranks = ranks_of({&rank});
  EXPECT_EQ(in_words(rank.status()), "code 5");
  EXPECT_TRUE(comes_true([&] {
    ranks.kill_rest();
    return rank.output_ended();
  }));
}

TEST(Ranks, AreFoundByTheirGroupWhereTheyHaveClearedTheirEnvironment) {
  Script rank("env -i sleep 60 & exit 5", task_environment);
  auto ranks = ranks_of({&rank});
  rank.status();
  EXPECT_TRUE(comes_true([&] {
    ranks.kill_rest();
    return rank.output_ended();
  }));
}

TEST(Ranks, LeaveOtherStepsAndSlurmstepdAlone) {
  Script rank("echo ready; sleep 60", task_environment);
  Script other("echo ready; sleep 60", {"MUSTER_STEP=42.1", "SLURM_TASK_PID=SELF"});
  Script same_user("echo ready; sleep 60");
  for (auto* const script : {&rank, &other, &same_user}) EXPECT_EQ(script->line(), "ready");
  auto ranks = ranks_of({&rank});
  EXPECT_TRUE(ranks.signal({SIGKILL}));  // this test is the ranks' parent and must survive as well
  EXPECT_EQ(in_words(rank.status()), "signal 9");
  EXPECT_FALSE(other.reap());
  EXPECT_FALSE(same_user.reap());
}

TEST(Ranks, SparesTheParentEvenIfItLooksLikeARanksChild) {
  Script parent("echo ready; sleep 60", {"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"});
  EXPECT_EQ(parent.line(), "ready");
  Script rank("sleep 60");
  Ranks ranks({{.rank = 0}}, "42.0", parent.pid());
  ranks.started({{static_cast<std::uint32_t>(rank.pid())}}, {});
  ranks.signal({SIGKILL});
  EXPECT_EQ(in_words(rank.status()), "signal 9");
  EXPECT_FALSE(parent.reap());
}

TEST(Ranks, WithASuccessAreNotSaidToBeSignalled) {
  Script rank("exit 0");
  auto ranks = ranks_of({&rank});
  rank.status();
  ranks.signal({SIGTERM});
  EXPECT_FALSE(ranks.all().front().signalled);
}

TEST(Ranks, AreHandedTheUsersSignalOnce) {
  Script rank("trap 'echo usr1' USR1; echo ready; while :; do read line && echo line; done");
  EXPECT_EQ(rank.line(), "ready");
  auto ranks = ranks_of({&rank});
  ranks.pass_on(SIGUSR1);
  ranks.look();
  rank.go_on();
  EXPECT_EQ(rank.line(), "usr1");
  EXPECT_EQ(rank.line(), "line");
  EXPECT_FALSE(ranks.all().front().signalled);
}

TEST(Ranks, AreHandedTheUsersSignalWithoutTheirShellAndWorkers) {
  Script rank(python("import os, signal, sys, time\n"
                     "signal.signal(signal.SIGUSR1, lambda *_: sys.exit(4))\n"
                     "child = os.fork()\n"
                     "if not child: signal.signal(signal.SIGUSR1, signal.SIG_DFL); time.sleep(60)\n"
                     "print(child, flush=True)\n"
                     "time.sleep(60)") +
              "; exit $?");
  const pid_t child = std::stoi(rank.line());
  auto ranks = ranks_of({&rank});
  ranks.pass_on(SIGUSR1);
  EXPECT_EQ(in_words(rank.status()), "code 4");
  EXPECT_TRUE(is_there(child));
  kill(child, SIGKILL);
}

TEST(Ranks, AreHandedTheUsersSignalWhenTheyHaveStarted) {
  Script rank("read line");
  Ranks ranks({{.rank = 0}}, "42.0", no_parent);
  ranks.pass_on(SIGTERM);
  ranks.started({{static_cast<std::uint32_t>(rank.pid())}}, {});
  ranks.look();
  EXPECT_EQ(in_words(rank.status()), "signal 15");
}

TEST(Ranks, AreCompleteWithTheLastStatus) {
  Script first("exit 0");
  Script second("exit 1");
  auto ranks = ranks_of({&first, &second});
  const auto now = std::chrono::steady_clock::now();
  EXPECT_TRUE(ranks.exited({.local_id = 1, .wait_status = 256}, now));
  EXPECT_FALSE(ranks.exited({.local_id = 1, .wait_status = 0}, now));
  EXPECT_FALSE(ranks.exited({.local_id = 2, .wait_status = 0}, now));
  EXPECT_FALSE(ranks.complete());
  EXPECT_TRUE(ranks.exited({.local_id = 0, .wait_status = 0}, now));
  EXPECT_TRUE(ranks.complete());
  EXPECT_EQ(ranks.all()[1].wait_status, 256);
}

TEST(Ranks, EndWhenTheKernelSaysSoAndNotWithTheStatus) {
  Script rank("exit 0");
  auto ranks = ranks_of({&rank});
  const Ranks::Time end{std::chrono::seconds{5}};
  ranks.ended(0, end);
  ranks.exited({.local_id = 0, .wait_status = 0}, end + std::chrono::seconds{1});
  EXPECT_EQ(ranks.all().front().end, end);
}

TEST(Ranks, TakeNoMessageAboutAnotherNumberOfTasks) {
  Ranks ranks({{.rank = 4}}, "42.0", no_parent);
  ranks.started({{1, 2}}, {});
  ranks.started({{1}}, {});  // and not init's
  EXPECT_EQ(ranks.places().front(), (report::RankPlace{.rank = 4}));
  EXPECT_FALSE(ranks.signal({SIGKILL}));
}

}  // namespace
}  // namespace muster::ranks
