#include "launcher/supervisor/supervision/supervision.hpp"

#include "launcher/channel/server.hpp"
#include "launcher/channel/watch/watch_client.hpp"
#include "launcher/supervisor/supervision/notices.hpp"

#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace muster::supervision {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A supervisor that waits for a double of srun, and the agents of two nodes in a thread.
class SupervisionTest : public testing::Test {
 protected:
  void open(const SupervisionPolicy& policy) {
    supervision_ = std::make_unique<Supervision>(policy, notices_);
    server_ = std::make_unique<channel::Server>(key_, std::nullopt, nullptr, nullptr,
                                                channel::Limits{}, supervision_->watch_server());
  }

  ~SupervisionTest() override {
    work_.reset();
    io_.stop();
    if (thread_.joinable()) thread_.join();
    agents_.clear();
    server_.reset();
  }

  // Like srun: ends when it gets a signal, or by itself with that code after a second.
  slurm::Ended run(const std::string& script) {
    return slurm::run_srun({"/bin/sh", "-c", script}, supervision_->hooks([this] { start(); }));
  }

  void start() {
    server_->start();
    for (const auto node : {0U, 1U}) {
      const channel::Client client{
          .key = key_,
          .server = {.port = server_->address().port, .addresses = {"127.0.0.1"}},
          .node = node,
          .nodes = 2};
      agents_.push_back(std::make_unique<watch::WatchClient>(
          io_, client, seconds{10}, true,
          watch::LinkEvents{.end = [this, node](const watch::End& end) { told(node, end); },
                            .signal =
                                [this](const watch::Signal& signal) {
                                  signal_ = signal.number;
                                  say_ended(0, signal.number);
                                },
                            .cut_off = {}}));
      agents_.back()->start({.step = "42.0",
                             .node = "node" + std::to_string(node),
                             .ranks = {{node, 0, 100}},
                             .started = {},
                             .ranks_of_step = 2});
    }
    thread_ = std::thread([this] { io_.run(); });
    // From the agents' thread: this one waits for srun.
    asio::post(io_, [this] { begin_(); });
  }

  void say_ended(layout::NodeIndex node, int wait_status) {
    watch::Ended ended;
    ended.end.place = {node, 0, 100};
    ended.end.wait_status = wait_status;
    agents_.at(node)->send(ended);
    agents_.at(node)->finish(seconds{5}, [] {});
  }

  void told(layout::NodeIndex node, const watch::End& end) {
    if (told_.exchange(true)) return;
    grace_ = end.grace;
    say_ended(node == 0 ? 1 : node, SIGTERM);
  }

  Notices notices_{stderr};
  secret::Key key_ = secret::make_key();
  std::unique_ptr<Supervision> supervision_;
  std::unique_ptr<channel::Server> server_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  std::vector<std::unique_ptr<watch::WatchClient>> agents_;
  std::function<void()> begin_ = [] {};
  std::thread thread_;
  std::atomic<bool> told_ = false;
  std::atomic<int> signal_ = 0;
  std::atomic<milliseconds> grace_{milliseconds{0}};
};

TEST_F(SupervisionTest, EndsAllRanksByTheFirstFailureWithTheUsersGrace) {
  open({.grace = seconds{7}});
  begin_ = [this] { say_ended(0, 7 << 8); };
  const auto ended = run("sleep 1; exit 7");
  EXPECT_EQ(WEXITSTATUS(ended.wait_status), 7);
  EXPECT_TRUE(told_);
  EXPECT_EQ(grace_.load(), seconds{7});
  EXPECT_FALSE(supervision_->unharmed());
  const auto record = supervision_->record(ended);
  EXPECT_TRUE(record.ending);
  ASSERT_EQ(record.ends.size(), 2U);
  EXPECT_EQ(record.ends.front().wait_status, 7 << 8);
  EXPECT_EQ(record.step, "42.0");
  EXPECT_GE((record.over.time - record.launched.time), milliseconds{900});
}

// The other node's rank ends in the same way meanwhile, so the agents have no rank left to stop.
TEST_F(SupervisionTest, LeavesTheOtherNodesAMomentToShowTheSameStartUpError) {
  open({.grace = seconds{7}, .may_restart = true});
  constexpr int not_found = 127 << 8;
  asio::steady_timer later(io_, milliseconds{100});
  begin_ = [this, &later] {
    say_ended(0, not_found);
    later.async_wait([this](std::error_code) { say_ended(1, not_found); });
  };
  const auto ended = run("sleep 1; exit 127");
  EXPECT_FALSE(told_);
  const auto record = supervision_->record(ended);
  ASSERT_EQ(record.ends.size(), 2U);
  EXPECT_FALSE(record.ends.back().ended_by_muster);
}

TEST_F(SupervisionTest, LeavesAnSrunThatWaitsForARankThatNothingEnds) {
  open({.grace = seconds{60}});
  begin_ = [this] {
    agents_.at(1)->send(watch::Stuck{{1}});
    say_ended(0, 7 << 8);
  };
  told_ = true;  // the other node's ranks do not obey
  const auto ended = run("exec sleep 60");
  EXPECT_EQ(WTERMSIG(ended.wait_status), SIGKILL);
  EXPECT_TRUE(supervision_->killed_srun());
}

TEST_F(SupervisionTest, EndsNothingWhereTheUserSaidSo) {
  open({.ends_by_first_failure = false, .grace = seconds{7}});
  begin_ = [this] { say_ended(0, 7 << 8); };
  const auto ended = run("sleep 1; exit 7");
  EXPECT_FALSE(told_);
  EXPECT_FALSE(supervision_->unharmed());
  EXPECT_FALSE(supervision_->record(ended).ending);
}

TEST_F(SupervisionTest, EndsAllRanksByOneThatHangsBehindItsException) {
  open({.grace = seconds{7}});
  begin_ = [this] { agents_.at(0)->send(watch::Hangs{0, "ValueError: boom"}); };
  const auto ended = run("sleep 1; exit 7");
  EXPECT_TRUE(told_);
  EXPECT_FALSE(supervision_->unharmed());
  EXPECT_TRUE(supervision_->record(ended).ending);
}

TEST_F(SupervisionTest, EndsAStepInWhichNothingMovesAndKeepsWhy) {
  open({.ends_by_first_failure = false, .grace = seconds{7}});
  const report::Hang hang{
      .since = {seconds{3}, {}}, .found = "rank 1: waiting", .node = "node1", .dump = "here"};
  begin_ = [this, hang] { supervision_->on_step_hung(hang); };
  const auto ended = run("sleep 1");
  EXPECT_TRUE(told_);
  EXPECT_FALSE(supervision_->unharmed()) << "although srun has ended with 0";
  const auto record = supervision_->record(ended);
  EXPECT_EQ(record.hang, hang);
  EXPECT_TRUE(record.ending);
}

TEST_F(SupervisionTest, TakesAHangThatIsFoundTooLateForNone) {
  open({.grace = seconds{7}});
  begin_ = [this] {
    say_ended(0, 0);
    say_ended(1, 0);
  };
  const auto ended = run("sleep 0.3");
  supervision_->on_step_hung({.since = {}, .found = "rank 1: waiting", .node = {}, .dump = {}});
  EXPECT_TRUE(supervision_->unharmed());
  EXPECT_FALSE(supervision_->record(ended).hang);
}

TEST_F(SupervisionTest, SeesWhatSrunPrints) {
  open({.grace = seconds{7}});
  EXPECT_FALSE(supervision_->written_by_srun()) << "before it is there";
  std::optional<std::int64_t> written;
  const auto look = [&] {
    const auto deadline = std::chrono::steady_clock::now() + seconds{60};
    while (written.value_or(0) < 8192 && std::chrono::steady_clock::now() < deadline) {
      written = supervision_->written_by_srun();
    }
    say_ended(0, 7 << 8);
  };
  begin_ = look;
  run("printf %08192d 0; exec sleep 60");
  EXPECT_GE(written, 8192);
}

TEST_F(SupervisionTest, OnlyNotesARankThatHangsWhereTheUserWantsNothingEnded) {
  open({.ends_by_first_failure = false, .grace = seconds{7}});
  begin_ = [this] { agents_.at(1)->send(watch::Hangs{1, "ValueError: boom"}); };
  testing::internal::CaptureStderr();
  run("sleep 1; exit 7");
  EXPECT_FALSE(told_);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "muster: warning: node1: rank 1 has failed but does not exit: ValueError: boom\n");
}

TEST_F(SupervisionTest, OnlyNotesARankThatHangsWhereTheUserMayBeLookingIntoIt) {
  open({.grace = seconds{7}, .interactive = true});
  begin_ = [this] { agents_.at(1)->send(watch::Hangs{1, "ValueError: boom"}); };
  testing::internal::CaptureStderr();
  run("sleep 1");
  EXPECT_FALSE(told_);
  EXPECT_TRUE(supervision_->unharmed());
  EXPECT_NE(testing::internal::GetCapturedStderr().find("rank 1 has failed but does not exit"),
            std::string::npos);
}

TEST_F(SupervisionTest, IsUnharmedBySuccess) {
  open({.grace = seconds{7}});
  begin_ = [this] {
    say_ended(0, 0);
    say_ended(1, 0);
  };
  EXPECT_EQ(run("sleep 0.3").wait_status, 0);
  EXPECT_TRUE(supervision_->unharmed());
}

TEST_F(SupervisionTest, AsksSlurmToEndAStepWhoseSrunStaysAfterAllRanksHaveEnded) {
  open({.grace = seconds{7}});
  begin_ = [this] { say_ended(0, 7 << 8); };
  const auto ended = run("exec sleep 60");
  EXPECT_EQ(WTERMSIG(ended.wait_status), SIGTERM);
  EXPECT_FALSE(supervision_->killed_srun());
}

TEST_F(SupervisionTest, HandsATerminationToTheRanksAndNotToSrun) {
  open({.grace = seconds{7}});
  // To the thread that waits for srun: other threads of the test program do not block it.
  asio::steady_timer later(io_, milliseconds{500});
  begin_ = [&later, waiting = pthread_self()] {
    later.async_wait([waiting](std::error_code) { pthread_kill(waiting, SIGTERM); });
  };
  const auto ended = run("sleep 1.5; exit 3");
  EXPECT_EQ(WEXITSTATUS(ended.wait_status), 3);
  EXPECT_EQ(signal_, SIGTERM);
  const auto record = supervision_->record(ended);
  ASSERT_EQ(record.signals.size(), 1U);
  EXPECT_EQ(record.signals.front().number, SIGTERM);
}

}  // namespace
}  // namespace muster::supervision
