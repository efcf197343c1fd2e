// The real monitor with real processes and a real supervisor's end; the test takes slurmstepd's place.
#include "launcher/agent/monitor.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/channel/server.hpp"
#include "launcher/channel/watch/watch_server.hpp"
#include "unit/launcher/agent/ranks/guard.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <atomic>
#include <deque>
#include <fstream>
#include <functional>
#include <future>
#include <memory>

#include <sys/socket.h>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;
using ranks::comes_true;
using ranks::in_words;
using ranks::Script;
using report::NodeState;

constexpr std::chrono::milliseconds no_heartbeat_missed{60000};

class MonitorTest : public testing::Test {
 protected:
  MonitorTest() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0);
    step_.step = "42.0";
    step_.cancel = "42.0";
    step_.node = "node1";
  }
  ~MonitorTest() override {
    for (auto& rank : ranks_) kill(rank.pid(), SIGKILL);
    hang_up();
    if (agent_.valid()) agent_.wait();
    close(ends_[0]);
  }

  Script& add_rank(const std::string& script) {
    const auto rank = static_cast<std::uint32_t>(ranks_.size());
    step_.places.push_back({.rank = rank, .local_rank = rank});
    step_.error_files.emplace_back();
    step_.ranks = rank + 1;
    return ranks_.emplace_back("echo ready; " + script,
                               std::vector<std::string>{"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"});
  }

  void have_supervisor(std::chrono::milliseconds heartbeat = no_heartbeat_missed,
                       watch::WatchEvents events = {}) {
    const auto key = secret::make_key();
    station_ = std::make_shared<watch::WatchServer>(watch::WatchLimits{.heartbeat = heartbeat},
                                                    std::move(events));
    server_ = std::make_unique<channel::Server>(
        key, std::nullopt, [](const auto&) {},
        [this](const auto& line) {
          if (take_notice_) take_notice_(line);
        },
        channel::Limits{}, station_);
    step_.supervisor = {.key = key, .server = server_->address(), .node = 0, .nodes = 1};
    step_.rules.heartbeat = heartbeat;
  }

  // After this call it forks no more.
  void start() {
    wire::TasksStarted started;
    for (auto& rank : ranks_) {
      EXPECT_EQ(rank.line(), "ready");
      started.pids.push_back(static_cast<std::uint32_t>(rank.pid()));
    }
    if (server_) server_->start();
    agent_ = std::async(std::launch::async, [this] { Monitor(ends_[0], step_, watches_).run(); });
    tell(wire::Kind::tasks_started, wire::encode(started));
    if (!server_) return;
    ASSERT_TRUE(comes_true([&] {
      const auto seen = station_->seen();
      return !seen.nodes.empty() && seen.nodes[0].state == NodeState::watched;
    }));
  }

  void tell(wire::Kind kind, const std::string& payload) const {
    wire::send_frame(ends_[1], kind, payload, std::chrono::steady_clock::now() + 10s);
  }

  // Reaps a task as slurmstepd does.
  int reap(std::uint32_t local_id) {
    const auto status = ranks_.at(local_id).status();
    tell(wire::Kind::task_exit,
         wire::encode(wire::TaskExit{local_id, static_cast<std::uint32_t>(status)}));
    return status;
  }

  void hang_up() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

  bool agent_leaves() { return agent_.wait_for(20s) == std::future_status::ready; }

  [[nodiscard]] std::vector<report::RankEnd> reported() const { return station_->seen().ends; }
  bool reports(std::size_t count) {
    return comes_true([&] { return reported().size() == count; });
  }
  bool node_is(NodeState state) {
    return comes_true([&] { return station_->seen().nodes[0].state == state; });
  }

  std::array<int, 2> ends_{-1, -1};
  MonitoredStep step_;
  Watches watches_;
  std::deque<Script> ranks_;
  std::shared_ptr<watch::WatchServer> station_;
  std::unique_ptr<channel::Server> server_;
  std::function<void(const std::string&)> take_notice_;
  std::future<void> agent_;
};

TEST_F(MonitorTest, LeavesWithTheLastTask) {
  add_rank("read line");
  add_rank("read line");
  start();
  ranks_[0].go_on();
  reap(0);
  ranks_[1].go_on();
  reap(1);
  EXPECT_TRUE(agent_leaves());
}

// The rank's end is not delayed by a directory with many entries.
TEST_F(MonitorTest, RemovesWhatKilledAgentsLeftWhileItWatches) {
  const fixtures::ScratchDirectory scratch;
  const auto left = scratch.path("muster-41.0-node1-abcdef");
  std::filesystem::create_directory(left);
  for (int i = 0; i < 1000; ++i) scratch.write("file" + std::to_string(i), "");
  step_.temporary_directories = {scratch.path()};
  add_rank("read line");
  start();
  EXPECT_TRUE(comes_true([&left] { return !std::filesystem::exists(left); }));
  ranks_[0].go_on();
  reap(0);
  EXPECT_TRUE(agent_leaves());
}

TEST_F(MonitorTest, TellsTheSupervisorHowEachRankEnded) {
  have_supervisor();
  add_rank("read line; exit 0");
  add_rank("read line; kill -SEGV $$");
  start();
  ranks_[1].go_on();
  reap(1);
  ASSERT_TRUE(reports(1));
  EXPECT_EQ(reported()[0].place.rank, 1U);
  EXPECT_EQ(reported()[0].place.pid, static_cast<std::uint32_t>(ranks_[1].pid()));
  EXPECT_EQ(in_words(reported()[0].wait_status), "signal 11");
  EXPECT_FALSE(reported()[0].ended_by_muster);
  ranks_[0].go_on();
  reap(0);
  EXPECT_TRUE(agent_leaves());
  ASSERT_TRUE(reports(2));
  EXPECT_EQ(reported()[1].wait_status, 0);
  EXPECT_TRUE(node_is(NodeState::done));
}

TEST_F(MonitorTest, LeavesTheOthersToTheSupervisorWhenARankFails) {
  have_supervisor();
  add_rank("exit 1");
  add_rank("read line");
  start();
  reap(0);
  ASSERT_TRUE(reports(1));
  ranks_[1].go_on();
  EXPECT_EQ(in_words(reap(1)), "code 0");
  EXPECT_TRUE(agent_leaves());
}

TEST_F(MonitorTest, EndsTheRanksThatTheSupervisorWantsEnded) {
  have_supervisor();
  add_rank("read line");
  add_rank("kill -STOP $$");
  start();
  station_->end_all(60s);
  for (std::uint32_t rank = 0; rank < 2; ++rank) EXPECT_EQ(in_words(reap(rank)), "signal 15");
  EXPECT_TRUE(agent_leaves());
  ASSERT_TRUE(reports(2));
  EXPECT_TRUE(reported()[0].ended_by_muster);
  EXPECT_TRUE(reported()[1].ended_by_muster);
}

class HangingRankTest : public MonitorTest {
 protected:
  HangingRankTest() {
    std::filesystem::create_directory(scratch_.path("0"));
    step_.rules.exit_timeout = 200ms;
    add_rank("read line");
    add_rank("read line");
    step_.error_files[0] = scratch_.path("0/error.json");
  }

  void raise() { scratch_.write("0/error.json", R"({"message": "ValueError: boom"})"); }

  const fixtures::ScratchDirectory scratch_;
};

TEST_F(HangingRankTest, IsNamedToTheSupervisorOnce) {
  std::promise<watch::Hangs> told;
  have_supervisor(no_heartbeat_missed,
                  {.hangs = [&](auto, const auto& rank) { told.set_value(rank); }});
  start();
  raise();
  const auto rank = told.get_future().get();
  EXPECT_EQ(rank.rank, 0U);
  EXPECT_EQ(rank.message, "ValueError: boom");
  raise();  // the promise accepts one value
  std::this_thread::sleep_for(500ms);
  station_->end_all(60s);
  EXPECT_EQ(in_words(reap(0)), "signal 15");
  reap(1);
  EXPECT_TRUE(agent_leaves());
  ASSERT_TRUE(reports(2));
  ASSERT_TRUE(reported()[0].exception);
  EXPECT_EQ(reported()[0].exception->message, "ValueError: boom");
}

TEST_F(HangingRankTest, ThatStillWritesHasMoreTimeAndTheUserIsTold) {
  std::promise<std::string> told;
  std::atomic<bool> hangs = false;
  take_notice_ = [&](const auto& line) { told.set_value(line); };
  have_supervisor(no_heartbeat_missed, {.hangs = [&](auto, const auto&) { hangs = true; }});
  std::filesystem::create_directory(scratch_.path("2"));
  step_.rules.exit_timeout = 500ms;
  add_rank(
      "while sleep 0.02; do head -c 1000000 /dev/zero; done | dd bs=1M of=/dev/null & read line");
  step_.error_files[2] = scratch_.path("2/error.json");
  start();
  scratch_.write("2/error.json", R"({"message": "ValueError: boom"})");
  EXPECT_EQ(
      told.get_future().get(),
      "muster: warning: node1: rank 2 has failed but is still writing, so it has up to 10 min to "
      "exit: ValueError: boom");
  EXPECT_FALSE(hangs);
  station_->end_all(60s);
  for (const std::uint32_t rank : {0U, 1U, 2U}) EXPECT_EQ(in_words(reap(rank)), "signal 15");
  EXPECT_TRUE(agent_leaves());
}

TEST_F(HangingRankTest, OnceHadItsProcessGroup) {
  std::promise<std::string> told;
  step_.rules.inspects = true;
  have_supervisor(no_heartbeat_missed,
                  {.warning = [&](const auto& line) { told.set_value(line); }});
  std::filesystem::create_directory(scratch_.path("1"));
  step_.error_files[1] = scratch_.path("1/error.json");
  start();
  for (const auto* file : {"1/group", "0/group"}) {
    scratch_.write("new", "nccl 2.27.5\n");
    std::filesystem::rename(scratch_.path("new"), scratch_.path(file));
  }
  EXPECT_NE(told.get_future().get().find("rank 0 has NCCL 2.27.5"), std::string::npos);
  EXPECT_TRUE(station_->seen().nodes.at(0).group);
  for (const std::uint32_t rank : {0U, 1U}) {
    ranks_[rank].go_on();
    EXPECT_EQ(in_words(reap(rank)), "code 0");
  }
  EXPECT_TRUE(agent_leaves());
}

TEST_F(HangingRankTest, IsLeftAloneWithoutASupervisor) {
  start();
  raise();
  std::this_thread::sleep_for(500ms);
  for (const std::uint32_t rank : {0U, 1U}) {
    ranks_[rank].go_on();
    EXPECT_EQ(in_words(reap(rank)), "code 0");
  }
  EXPECT_TRUE(agent_leaves());
}

TEST_F(MonitorTest, KillsThemAfterTheGrace) {
  have_supervisor();
  add_rank("trap '' TERM; echo deaf; while :; do sleep 1; done");
  start();
  EXPECT_EQ(ranks_[0].line(), "deaf");
  station_->end_all(100ms);
  EXPECT_EQ(in_words(reap(0)), "signal 9");
  EXPECT_TRUE(agent_leaves());
}

// Processes in it are in uninterruptible sleep until it thaws.
class Freezer {
 public:
  static bool can_be_made() {
    std::error_code error;
    std::filesystem::create_directories(path(), error);
    return !error && std::filesystem::exists(path() / "freezer.state");
  }
  explicit Freezer(pid_t pid) {
    std::ofstream(path() / "cgroup.procs") << pid;
    std::ofstream(path() / "freezer.state") << "FROZEN";
  }
  Freezer(const Freezer&) = delete;
  Freezer& operator=(const Freezer&) = delete;
  ~Freezer() {
    thaw();
    std::error_code ignored;
    comes_true([&] { return std::filesystem::remove(path(), ignored); });
  }
  static void thaw() { std::ofstream(path() / "freezer.state") << "THAWED"; }

 private:
  static std::filesystem::path path() {
    return "/sys/fs/cgroup/freezer/muster-test-" + std::to_string(getpid());
  }
};

TEST_F(MonitorTest, NamesTheRanksThatNothingEnds) {
  if (!Freezer::can_be_made()) GTEST_SKIP() << "no freezer of version 1 here";
  have_supervisor();
  add_rank("read line");
  add_rank("read line");
  start();
  const Freezer freezer(ranks_[1].pid());
  station_->end_all(0ms);
  reap(0);
  ASSERT_TRUE(comes_true([&] { return !station_->seen().nodes[0].stuck_ranks.empty(); }));
  EXPECT_EQ(station_->seen().nodes[0].stuck_ranks, std::vector<std::uint32_t>{1});
  EXPECT_NE(station_->seen().nodes[0].remark.find("(state D)"), std::string::npos)
      << station_->seen().nodes[0].remark;
  Freezer::thaw();
  EXPECT_EQ(in_words(reap(1)), "signal 9");
  EXPECT_TRUE(agent_leaves());
}

TEST_F(MonitorTest, LeavesNothingOfAFailedRankThatHoldsItsOutput) {
  have_supervisor();
  add_rank("setsid sleep 60 & exit 5");
  start();
  EXPECT_EQ(in_words(reap(0)), "code 5");
  EXPECT_TRUE(agent_leaves());
  EXPECT_TRUE(comes_true([&] { return ranks_[0].output_ended(); }));
}

TEST_F(MonitorTest, EndsItsRanksWhenItIsCutOffFromTheSupervisor) {
  have_supervisor(300ms);
  add_rank("read line");
  step_.rules.grace = 60s;
  step_.rules.fences = true;
  start();
  std::this_thread::sleep_for(300ms);  // time for a beat to be answered
  server_.reset();
  EXPECT_EQ(in_words(reap(0)), "signal 9");  // a held rank gets no grace period
  EXPECT_TRUE(agent_leaves());
}

TEST_F(MonitorTest, LeavesItsRanksAloneIfItIsCutOffAndNoOtherAttemptCouldStart) {
  have_supervisor(300ms);
  add_rank("read line");
  start();
  std::this_thread::sleep_for(300ms);
  server_.reset();
  std::this_thread::sleep_for(1200ms);
  EXPECT_FALSE(ranks_[0].reap());
  ranks_[0].go_on();
  EXPECT_EQ(in_words(reap(0)), "code 0");
  EXPECT_TRUE(agent_leaves());
}

TEST_F(MonitorTest, HasAGuardOfItsRanksWhileTheyRunIfAnotherAttemptCouldStart) {
  have_supervisor(300ms);
  add_rank("read line");
  step_.rules.fences = true;
  start();
  EXPECT_GT(ranks::await_guard_of(getpid()), 0);
  ranks_[0].go_on();
  EXPECT_EQ(in_words(reap(0)), "code 0");
  EXPECT_TRUE(agent_leaves());
  EXPECT_EQ(ranks::guard_of(getpid()), 0);
}

TEST_F(MonitorTest, HasNoGuardWhereNoOtherAttemptCouldStart) {
  have_supervisor(300ms);
  add_rank("read line");
  start();
  std::this_thread::sleep_for(600ms);  // several beats and checks of the ranks
  EXPECT_EQ(ranks::guard_of(getpid()), 0);
  ranks_[0].go_on();
  reap(0);
  EXPECT_TRUE(agent_leaves());
}

TEST_F(MonitorTest, HasSlurmstepdStayWhereTheSupervisorsHostMayBeDead) {
  step_.rules.lost_host.host = "node1";
  step_.rules.fences = true;
  have_supervisor(300ms);
  add_rank("read line");
  start();
  std::this_thread::sleep_for(300ms);
  server_.reset();
  reap(0);
  const auto told = wire::receive_frame(ends_[1], std::chrono::steady_clock::now() + 10s);
  EXPECT_EQ(told.kind, wire::Kind::busy);
  EXPECT_TRUE(agent_leaves());  // its host refuses connections, so it is not
}

TEST_F(MonitorTest, EndsNothingByItselfWithoutASupervisor) {
  add_rank("exit 1");
  add_rank("read line");
  start();
  reap(0);
  std::this_thread::sleep_for(1200ms);
  EXPECT_FALSE(ranks_[1].reap());
  ranks_[1].go_on();
  EXPECT_EQ(in_words(reap(1)), "code 0");
  EXPECT_TRUE(agent_leaves());
}

// With a firewall in between: srun was told to leave the ending to a supervisor that hears nothing.
class UnreachableSupervisorTest : public MonitorTest {
 protected:
  UnreachableSupervisorTest() {
    step_.supervisor = {.key = secret::make_key(), .server = {}, .node = 0, .nodes = 2};
    step_.supervisor.server = unused_address();
    step_.is_alone = false;
    const auto scancel =
        scratch_.write("scancel", "#!/bin/sh\necho \"$@\" >>" + scratch_.path("called"));
    std::filesystem::permissions(scancel, std::filesystem::perms::owner_all);
    step_.environment.set("PATH", scratch_.path());
    step_.rules.owners.anybody = true;
  }

  [[nodiscard]] std::string cancelled() const {
    std::ifstream file(scratch_.path("called"));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The address of a server that has gone.
  static channel::Address unused_address() {
    return channel::Server(secret::make_key(), std::nullopt, [](const auto&) {}).address();
  }

  const fixtures::ScratchDirectory scratch_;
};

TEST_F(UnreachableSupervisorTest, AFailureEndsTheNodesRanksAndTheStep) {
  add_rank("exit 1");
  add_rank("read line");
  start();
  reap(0);
  EXPECT_EQ(in_words(reap(1)), "signal 15");
  EXPECT_TRUE(agent_leaves());
  EXPECT_EQ(cancelled(), "--quiet 42.0\n");
}

TEST_F(UnreachableSupervisorTest, ARankThatHangsBehindItsExceptionEndsTheStep) {
  std::filesystem::create_directory(scratch_.path("0"));
  step_.rules.exit_timeout = 200ms;
  add_rank("read line");
  step_.error_files[0] = scratch_.path("0/error.json");
  start();
  scratch_.write("0/error.json", R"({"message": "ValueError: boom"})");
  EXPECT_EQ(in_words(reap(0)), "signal 15");
  EXPECT_TRUE(agent_leaves());
  EXPECT_EQ(cancelled(), "--quiet 42.0\n");
}

TEST_F(UnreachableSupervisorTest, TheFailureOfTheLastRankHereEndsTheStep) {
  add_rank("exit 1");
  start();
  reap(0);
  EXPECT_TRUE(agent_leaves());
  EXPECT_EQ(cancelled(), "--quiet 42.0\n");
}

// Slurm does not always end what an agent has started.
TEST_F(UnreachableSupervisorTest, StartsNoScancelOfTheUsers) {
  step_.rules.owners = {};
  add_rank("exit 1");
  start();
  reap(0);
  EXPECT_TRUE(agent_leaves());
  EXPECT_EQ(cancelled(), "");
}

TEST_F(UnreachableSupervisorTest, ASuccessEndsNothing) {
  add_rank("exit 0");
  start();
  reap(0);
  EXPECT_TRUE(agent_leaves());
  EXPECT_EQ(cancelled(), "");
}

TEST_F(UnreachableSupervisorTest, AFailureEndsNothingWhereTheUserHasSaidSo) {
  step_.rules.ends_on_failure = false;
  add_rank("exit 1");
  start();
  reap(0);
  EXPECT_TRUE(agent_leaves());
  EXPECT_EQ(cancelled(), "");
}

TEST_F(MonitorTest, EndsTheRanksWhenSlurmstepdHasGone) {
  have_supervisor();
  add_rank("read line");
  start();
  hang_up();
  EXPECT_EQ(in_words(ranks_[0].status()), "signal 15");
  EXPECT_TRUE(agent_leaves());
  ASSERT_TRUE(reports(1));
  EXPECT_EQ(reported()[0].wait_status, report::unknown_status);
  EXPECT_TRUE(reported()[0].ended_by_muster);
  EXPECT_NE(station_->seen().nodes[0].remark.find("slurmstepd is gone"), std::string::npos);
}

TEST_F(MonitorTest, LeavesTheRanksAloneWhenSlurmstepdSaysThatTheStepIsOver) {
  add_rank("read line");
  start();
  shutdown(ends_[1], SHUT_WR);
  EXPECT_TRUE(agent_leaves());
  EXPECT_FALSE(ranks_[0].reap());
}

}  // namespace
}  // namespace muster::agent
