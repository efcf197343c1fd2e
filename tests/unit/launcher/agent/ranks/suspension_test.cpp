#include "launcher/agent/ranks/suspension.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/agent/ranks/hold.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <filesystem>
#include <fstream>
#include <utility>

namespace muster::ranks {
namespace {

constexpr RankProcess runs{.state = 'S'};
constexpr RankProcess stopped{.state = 'T'};
constexpr RankProcess held{.state = 'T', .by_muster = true};
constexpr RankProcess frozen{.state = 'D', .is_frozen = true};
constexpr RankProcess held_and_frozen{.state = 'D', .by_muster = true, .is_frozen = true};

TEST(Suspension, NeedsEachProcessToBeStoppedOrFrozenBySomethingElse) {
  EXPECT_TRUE(are_suspended({stopped}));
  EXPECT_TRUE(are_suspended({stopped, {.state = 't'}, frozen, held_and_frozen}));
  EXPECT_FALSE(are_suspended({}));
  EXPECT_FALSE(are_suspended({stopped, runs}));
  EXPECT_FALSE(are_suspended({stopped, held}));
  EXPECT_FALSE(are_suspended({{.state = 'D'}})) << "it waits for a file system";
}

// A made-up control group file system.
class FrozenGroupTest : public testing::Test {
 protected:
  void put(const std::string& file, const std::string& text) {
    const std::filesystem::path path = scratch_.path(file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  fixtures::ScratchDirectory scratch_;
  const GroupMounts v1_{.v1 = GroupMounts::Mount{scratch_.path(""), "/"}, .v2 = {}};
  const GroupMounts v2_{.v1 = {}, .v2 = GroupMounts::Mount{scratch_.path(""), "/"}};
};

TEST_F(FrozenGroupTest, IsFoundInVersion1) {
  const std::string groups = "7:memory:/job_1\n5:freezer:/slurm/uid_1/job_1/step_0\n";
  EXPECT_FALSE(is_in_frozen_group(groups, v1_)) << "there are no such files";
  const std::vector<std::pair<std::string, bool>> states{
      {"THAWED\n", false}, {"FREEZING\n", true}, {"FROZEN\n", true}};
  for (const auto& [state, is_frozen] : states) {
    put("slurm/uid_1/job_1/step_0/freezer.state", state);
    EXPECT_EQ(is_in_frozen_group(groups, v1_), is_frozen) << state;
  }
  EXPECT_FALSE(is_in_frozen_group(groups, v2_));
  EXPECT_FALSE(is_in_frozen_group(groups, {}));
}

TEST_F(FrozenGroupTest, IsFoundInVersion2AmongTheGroupsOfTheJob) {
  const std::string groups = "0::/s.scope/job_1/step_0/user/task_0\n";
  put("s.scope/job_1/step_0/user/task_0/cgroup.freeze", "0\n");
  put("s.scope/job_1/step_0/user/cgroup.freeze", "0\n");
  EXPECT_FALSE(is_in_frozen_group(groups, v2_));
  put("s.scope/job_1/step_0/user/cgroup.freeze", "1\n");
  EXPECT_TRUE(is_in_frozen_group(groups, v2_));
  EXPECT_FALSE(is_in_frozen_group("0::/s.scope/job_1/step_1/user/task_0\n", v2_));
}

// A real rank.
class SuspendedRankTest : public testing::Test {
 protected:
  SuspendedRankTest() {
    EXPECT_EQ(rank_.line(), "ready");
    wire::TasksStarted started;
    started.pids.push_back(static_cast<std::uint32_t>(rank_.pid()));
    ranks_.started(started, std::chrono::steady_clock::now());
  }

  [[nodiscard]] bool becomes(char state) const {
    return comes_true([&] {
      const auto rank = stat_of("/proc", rank_.pid());
      return rank && rank->state == state;
    });
  }

  Script rank_{"echo ready; read x", {"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"}};
  Ranks ranks_{{{.rank = 0, .local_rank = 0}}, "42.0", 0};
};

TEST_F(SuspendedRankTest, IsSeenToBeSuspendedUntilItIsResumed) {
  EXPECT_FALSE(are_suspended(ranks_, {}));
  kill(rank_.pid(), SIGSTOP);
  ASSERT_TRUE(becomes('T'));
  EXPECT_TRUE(are_suspended(ranks_, {}));
  kill(rank_.pid(), SIGCONT);
  ASSERT_TRUE(becomes('S'));
  EXPECT_FALSE(are_suspended(ranks_, {}));
}

TEST_F(SuspendedRankTest, IsNotSuspendedOnceItHasEnded) {
  kill(rank_.pid(), SIGSTOP);
  ASSERT_TRUE(becomes('T'));
  kill(rank_.pid(), SIGKILL);
  EXPECT_EQ(in_words(rank_.status()), "signal 9");
  EXPECT_FALSE(are_suspended(ranks_, {}));
}

TEST_F(SuspendedRankTest, IsNotSuspendedWhereOnlyMusterHoldsIt) {
  Hold hold(ranks_);
  EXPECT_TRUE(hold.stopped().empty());
  hold.stop();
  ASSERT_TRUE(becomes('T'));
  EXPECT_FALSE(are_suspended(ranks_, {}, hold.stopped()));
  EXPECT_TRUE(are_suspended(ranks_, {}));
}

TEST_F(SuspendedRankTest, IsNotSuspendedWhereTheGuardHasStoppedIt) {
  Hold hold(ranks_);
  hold.allow(std::chrono::steady_clock::now());
  ASSERT_TRUE(becomes('T'));
  EXPECT_FALSE(are_suspended(ranks_, {}, hold.stopped()));
}

TEST_F(SuspendedRankTest, IsSuspendedThoughMusterHoldsItAsWell) {
  kill(rank_.pid(), SIGSTOP);
  ASSERT_TRUE(becomes('T'));
  Hold hold(ranks_);
  hold.stop();
  EXPECT_TRUE(are_suspended(ranks_, {}, hold.stopped()));
  kill(rank_.pid(), SIGCONT);
  ASSERT_TRUE(comes_true([&] {
    hold.stop();  // as the agent does
    return !hold.stopped().empty();
  }));
  ASSERT_TRUE(becomes('T'));
  EXPECT_FALSE(are_suspended(ranks_, {}, hold.stopped())) << "Slurm has resumed it";
}

}  // namespace
}  // namespace muster::ranks
