#include "launcher/supervisor/hang/watchdog.hpp"

#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::hang {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds generous{60};

// A step that makes no progress, and what is reported about it. Its nodes do not exist, so no dump can be
// made.
class WatchdogTest : public testing::Test {
 protected:
  void SetUp() override { setenv("PATH", "/nowhere", 1); }
  void TearDown() override { setenv("PATH", path_.c_str(), 1); }

  Sample look() {
    const std::lock_guard lock(mutex_);
    ++looks_;
    heard_.notify_all();
    const auto now = steady_clock::now().time_since_epoch();
    NodeSample node{.name = "node1", .started = true, .ranks_up = 2};
    node.counts = status::Counts{
        .time = std::chrono::duration_cast<milliseconds>(now),
        .network = {},
        .rdma = {},
        .files = {},
        .output = {},
        .signs = status::Signs{.output = moves_ || looks_ >= moves_from_ ? looks_ : 0}};
    return {.time = now, .ranks = 2, .shown = 0, .nodes = {std::move(node)}};
  }

  WatchdogHooks hooks() {
    return {
        .look = [this] { return look(); },
        .step = [] { return dump::RunningStep{.name = "42.0", .user = {}, .nodes = {"node1"}}; },
        .say =
            [this](text::Severity, const auto& line) {
              const std::lock_guard lock(mutex_);
              said_.push_back(line);
              heard_.notify_all();
            },
        .found =
            [this](const auto& finding) {
              const std::lock_guard lock(mutex_);
              found_.push_back(finding);
            },
        .moved =
            [this] {
              const std::lock_guard lock(mutex_);
              ++over_;
              heard_.notify_all();
            },
        .end =
            [this](const auto& finding) {
              const std::lock_guard lock(mutex_);
              ended_.push_back(finding);
              heard_.notify_all();
            }};
  }

  template <class Condition>
  bool comes(const Condition& condition) {
    std::unique_lock lock(mutex_);
    return heard_.wait_for(lock, generous, condition);
  }

  std::int64_t looks() {
    const std::lock_guard lock(mutex_);
    return looks_;
  }

  const std::string path_ = getenv("PATH");
  std::mutex mutex_;
  std::condition_variable heard_;
  std::vector<std::string> said_;
  std::vector<Finding> found_;
  int over_ = 0;
  std::vector<Finding> ended_;
  bool moves_ = false;
  std::int64_t moves_from_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t looks_ = 0;
};

TEST_F(WatchdogTest, SaysAHangOnceAlsoWhereNoDumpCanBeTakenAndEndsNothing) {
  Watchdog watchdog({.limit = seconds(1)}, hooks());
  watchdog.start();
  ASSERT_TRUE(comes([&] { return !said_.empty(); }));
  const auto before = looks();
  ASSERT_TRUE(comes([&] { return looks_ >= before + 4; }));
  const std::lock_guard lock(mutex_);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_TRUE(said_[0].starts_with("hang=1s: no rank has made progress for ")) << said_[0];
  EXPECT_NE(said_[0].find("cannot inspect the ranks of step 42.0"), std::string::npos) << said_[0];
  EXPECT_TRUE(ended_.empty());
  EXPECT_EQ(found_.size(), 1U);
  EXPECT_EQ(over_, 0);
}

// For the report: a hang is over once something has moved for a while.
TEST_F(WatchdogTest, SaysOnceThatAHangIsOver) {
  auto hooks = this->hooks();
  hooks.time_to_be_over = milliseconds(300);
  Watchdog watchdog({.limit = seconds(1)}, std::move(hooks));
  watchdog.start();
  ASSERT_TRUE(comes([&] { return !said_.empty(); }));
  {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(over_, 0);
    moves_ = true;
  }
  ASSERT_TRUE(comes([&] { return over_ > 0; }));
  const auto before = looks();
  ASSERT_TRUE(comes([&] { return looks_ >= before + 4; }));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(over_, 1);
}

TEST_F(WatchdogTest, WithRestartHasTheStepEnded) {
  Watchdog watchdog({.limit = seconds(1), .restart = true}, hooks());
  watchdog.start();
  ASSERT_TRUE(comes([&] { return !ended_.empty(); }));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(ended_[0].place, "");
  EXPECT_LE(ended_[0].since, steady_clock::now() - seconds(1));
}

// A rank has continued while the dump was made.
TEST_F(WatchdogTest, EndsNothingThatHasMovedAgainSinceTheDump) {
  auto hooks = this->hooks();
  hooks.step = [this] {
    const std::lock_guard lock(mutex_);
    moves_ = true;
    return dump::RunningStep{.name = "42.0", .user = {}, .nodes = {"node1"}};
  };
  Watchdog watchdog({.limit = seconds(1), .restart = true}, std::move(hooks));
  watchdog.start();
  ASSERT_TRUE(comes([&] { return said_.size() == 2; }));
  const auto before = looks();
  ASSERT_TRUE(comes([&] { return looks_ >= before + 4; }));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(said_[1],
            "hang=1s+restart: a rank has made progress since the dump, so muster does not stop the "
            "ranks");
  EXPECT_TRUE(ended_.empty());
  EXPECT_EQ(said_.size(), 2U);
}

TEST_F(WatchdogTest, EndsNothingThatMovesOnceTheDumpIsOver) {
  auto hooks = this->hooks();
  hooks.say = [this](text::Severity, const auto& line) {
    const std::lock_guard lock(mutex_);
    said_.push_back(line);
    moves_from_ = looks_ + 2;  // the observation just after the dump has seen no progress
    heard_.notify_all();
  };
  Watchdog watchdog({.limit = seconds(1), .restart = true}, std::move(hooks));
  watchdog.start();
  ASSERT_TRUE(comes([&] { return said_.size() == 2; }));
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(ended_.empty());
}

TEST_F(WatchdogTest, SaysNothingOfAStepThatMovesAndEndsAtOnce) {
  moves_ = true;
  const auto begin = steady_clock::now();
  {
    Watchdog watchdog({.limit = seconds(1)}, hooks());
    watchdog.start();
    ASSERT_TRUE(comes([&] { return looks_ >= 5; }));
  }
  EXPECT_LT(steady_clock::now() - begin, generous);
  EXPECT_TRUE(said_.empty());
}

}  // namespace
}  // namespace muster::hang
