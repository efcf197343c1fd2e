#include "launcher/agent/ranks/memory_groups.hpp"

#include "fixtures/scratch_directory.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <fstream>

namespace muster::ranks {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<GroupFile>;

constexpr const char* both =
    "30 24 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
    "31 30 0:27 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
    "32 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
    "33 30 0:29 / /sys/fs/cgroup/memory rw,nosuid shared:9 master:1 - cgroup cgroup rw,memory\n";

TEST(MemoryMounts, AreFoundForBothVersions) {
  const auto mounts = memory_mounts(both);
  EXPECT_EQ(mounts.v1, (GroupMounts::Mount{"/sys/fs/cgroup/memory", "/"}));
  EXPECT_EQ(mounts.v2, (GroupMounts::Mount{"/sys/fs/cgroup/unified", "/"}));
}

TEST(MemoryMounts, AreNoneInAnyOtherText) {
  for (const char* const text : {"", "\n", "1 2 3", "1 2 3 / /x rw - ext4 x rw\n",
                                 "1 2 3 / /x rw - cgroup x rw,memoryless\n"}) {
    const auto mounts = memory_mounts(text);
    EXPECT_FALSE(mounts.v1) << text;
    EXPECT_FALSE(mounts.v2) << text;
  }
}

TEST(CounterFiles, AreThoseFromTheTaskUpToTheJob) {
  const auto mounts = memory_mounts(both);
  EXPECT_EQ(
      counter_files("5:memory:/slurm/uid_1/job_2/step_0/task_1\n", mounts),
      (Files{{"/sys/fs/cgroup/memory/slurm/uid_1/job_2/step_0/task_1/memory.oom_control", true},
             {"/sys/fs/cgroup/memory/slurm/uid_1/job_2/step_0/memory.oom_control", false},
             {"/sys/fs/cgroup/memory/slurm/uid_1/job_2/memory.oom_control", false}}));
  EXPECT_EQ(counter_files("0::/s.scope/job_2/step_0/user/task_1\n", mounts),
            (Files{{"/sys/fs/cgroup/unified/s.scope/job_2/step_0/user/task_1/memory.events", true},
                   {"/sys/fs/cgroup/unified/s.scope/job_2/step_0/user/memory.events", false},
                   {"/sys/fs/cgroup/unified/s.scope/job_2/step_0/memory.events", false},
                   {"/sys/fs/cgroup/unified/s.scope/job_2/memory.events", false}}));
}

TEST(CounterFiles, GoUpToAJobThatIsNamedByItsSluid) {
  EXPECT_EQ(
      counter_files("0::/s.scope/sEKNKTV3WPV500/step_0/user/task_1\n", memory_mounts(both)),
      (Files{
          {"/sys/fs/cgroup/unified/s.scope/sEKNKTV3WPV500/step_0/user/task_1/memory.events", true},
          {"/sys/fs/cgroup/unified/s.scope/sEKNKTV3WPV500/step_0/user/memory.events", false},
          {"/sys/fs/cgroup/unified/s.scope/sEKNKTV3WPV500/step_0/memory.events", false},
          {"/sys/fs/cgroup/unified/s.scope/sEKNKTV3WPV500/memory.events", false}}));
}

TEST(CounterFiles, AreTheProcessesOwnOutsideOfSlurmsGroups) {
  EXPECT_EQ(counter_files("5:memory:/user/task_\n1:cpu:/x\n", memory_mounts(both)),
            (Files{{"/sys/fs/cgroup/memory/user/task_/memory.oom_control", false}}));
  EXPECT_EQ(counter_files("5:memory:/x\n", {}), Files{});
  EXPECT_EQ(counter_files("malformed", memory_mounts(both)), Files{});
}

TEST(CounterFiles, AreBelowTheGroupThatAContainersMountShows) {
  GroupMounts mounts;
  mounts.v2 = GroupMounts::Mount{"/sys/fs/cgroup", "/pod/job_1"};
  EXPECT_EQ(counter_files("0::/pod/job_1/task_0\n", mounts),
            (Files{{"/sys/fs/cgroup/task_0/memory.events", true},
                   {"/sys/fs/cgroup/memory.events", false}}));
  EXPECT_EQ(counter_files("0::/pod/job_12\n", mounts), Files{});
}

TEST(OomKills, AreCountedByBothVersions) {
  EXPECT_EQ(oom_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"), 3U);
  EXPECT_EQ(oom_kills("low 0\nmax 7\noom 2\noom_kill 1\noom_group_kill 0\n"), 1U);
  EXPECT_FALSE(oom_kills(""));
  EXPECT_FALSE(oom_kills("oom_kill\n"));
  EXPECT_FALSE(oom_kills("oom_kill_disable 1\n"));
}

// A made-up /proc and control group file system: Slurm's own groups would need Slurm.
class MemoryGroupsTest : public testing::Test {
 protected:
  MemoryGroupsTest() {
    put("proc/7/cgroup", "0::/job_1/step_0/task_0\n");
    count("job_1/step_0/task_0", 1);
    count("job_1/step_0", 4);
    mounts_.v2 = GroupMounts::Mount{scratch_.path("cgroup"), "/"};
  }

  void look(MemoryGroups& groups, pid_t pid) const {
    CounterReadings readings(mounts_);
    groups.look(scratch_.path("proc"), pid, readings);
  }

  void put(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(scratch_.path(file)).parent_path());
    scratch_.write(file, text);
  }
  void count(const std::string& group, int kills) const {
    put("cgroup/" + group + "/memory.events", "oom 9\noom_kill " + std::to_string(kills) + "\n");
  }

  const fixtures::ScratchDirectory scratch_;
  GroupMounts mounts_;
};

TEST_F(MemoryGroupsTest, SayNothingOfWhatWasBefore) {
  MemoryGroups groups;
  look(groups, 7);
  EXPECT_FALSE(groups.kills().in_task);
  EXPECT_FALSE(groups.kills().nearby);
}

TEST_F(MemoryGroupsTest, TellTheTasksOwnKillsFromOthers) {
  MemoryGroups groups;
  look(groups, 7);
  count("job_1/step_0", 5);
  EXPECT_FALSE(groups.kills().in_task);
  EXPECT_TRUE(groups.kills().nearby);
  count("job_1/step_0/task_0", 2);
  EXPECT_TRUE(groups.kills().in_task);
}

TEST_F(MemoryGroupsTest, FollowATaskThatIsMoved) {
  put("proc/7/cgroup", "0::/job_1/step_0\n");
  MemoryGroups groups;
  look(groups, 7);
  put("proc/7/cgroup", "0::/job_1/step_0/task_0\n");
  look(groups, 7);
  count("job_1/step_0/task_0", 2);
  EXPECT_TRUE(groups.kills().in_task);
}

TEST_F(MemoryGroupsTest, AreNotMissedWhereTheyAreGone) {
  MemoryGroups groups;
  look(groups, 7);
  fs::remove_all(scratch_.path("cgroup"));
  EXPECT_FALSE(groups.kills().in_task);
  look(groups, 8);
}

TEST_F(MemoryGroupsTest, ThatCannotBeReadAtFirstAreTriedAgainAndTheOthersKeepTheirFirstReading) {
  const fs::path counter = scratch_.path("cgroup/job_1/step_0/task_0/memory.events");
  fs::rename(counter, counter.string() + ".later");
  MemoryGroups groups;
  look(groups, 7);
  count("job_1/step_0", 5);
  fs::rename(counter.string() + ".later", counter);
  look(groups, 7);
  EXPECT_TRUE(groups.kills().nearby) << "since the first look";
  EXPECT_FALSE(groups.kills().in_task);
  count("job_1/step_0/task_0", 2);
  look(groups, 7);
  EXPECT_TRUE(groups.kills().in_task);
}

TEST_F(MemoryGroupsTest, OfTasksThatShareThemAreReadOnceInALook) {
  put("proc/8/cgroup", "0::/job_1/step_0/task_1\n");
  count("job_1/step_0/task_1", 0);
  CounterReadings readings(mounts_);
  MemoryGroups first;
  first.look(scratch_.path("proc"), 7, readings);
  count("job_1/step_0", 5);
  MemoryGroups second;
  second.look(scratch_.path("proc"), 8, readings);
  EXPECT_TRUE(second.kills().nearby) << "one while the tasks were looked at";
  EXPECT_FALSE(second.kills().in_task);
  count("job_1/step_0/task_1", 1);
  EXPECT_TRUE(second.kills().in_task);
  EXPECT_FALSE(first.kills().in_task);
}

// A real group of the kernel, if this test may create one.
class RealGroup {
 public:
  explicit RealGroup(const std::string& limit) {
    std::ofstream(path_ / "memory.limit_in_bytes") << limit;
    std::ofstream(path_ / "memory.swappiness") << 0;
  }
  RealGroup(const RealGroup&) = delete;
  RealGroup& operator=(const RealGroup&) = delete;
  ~RealGroup() {
    std::error_code ignored;
    comes_true([&] { return fs::remove(path_, ignored); });
    fs::remove(path_.parent_path(), ignored);
  }

  [[nodiscard]] std::string procs() const { return path_ / "cgroup.procs"; }

  static bool can_be_made() {
    std::error_code error;
    fs::create_directories(path_, error);
    return !error && fs::exists(path_ / "memory.oom_control");
  }

 private:
  static inline const fs::path path_ = fs::path("/sys/fs/cgroup/memory") /
                                       ("job_muster-test-" + std::to_string(getpid())) / "task_0";
};

TEST(MemoryGroups, SeeTheKernelsKill) {
  if (!RealGroup::can_be_made()) GTEST_SKIP() << "no memory groups of version 1 to make here";
  const RealGroup group("16M");
  Script script("echo $$ > " + group.procs() +
                "; echo ready; read line; exec python3 -c 'x = bytearray(64 << 20)'");
  EXPECT_EQ(script.line(), "ready");
  std::ifstream mountinfo("/proc/self/mountinfo");
  const auto mounts = memory_mounts(std::string(std::istreambuf_iterator<char>(mountinfo), {}));
  CounterReadings readings(mounts);
  MemoryGroups groups;
  groups.look("/proc", script.pid(), readings);
  EXPECT_FALSE(groups.kills().in_task);
  script.go_on();
  EXPECT_EQ(in_words(script.status()), "signal 9");
  EXPECT_TRUE(groups.kills().in_task);
}

}  // namespace
}  // namespace muster::ranks
