#include "launcher/tools/preflight/cpu_limits.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace muster::preflight {
namespace {

namespace fs = std::filesystem;

class CpuLimits : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const auto file = root() / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  [[nodiscard]] fs::path root() const { return scratch_.path(); }

 private:
  fixtures::ScratchDirectory scratch_;
};

TEST_F(CpuLimits, SayWhatControlGroupsHaveHeldBackOfEitherKind) {
  write("proc/self/cgroup", "4:cpu,cpuacct:/a/b\n0::/c/d\n");
  EXPECT_EQ(throttled_time(root()), 0U);
  write("sys/fs/cgroup/cpu/a/cpu.stat", "nr_periods 3\nthrottled_time 7000\n");
  EXPECT_EQ(throttled_time(root()), 7U);
  write("sys/fs/cgroup/c/cpu.stat", "usage_usec 3\nthrottled_usec 9000\n");
  EXPECT_EQ(throttled_time(root()), 9000U);
}

TEST_F(CpuLimits, AreTheSmallestQuotaOfTheGroupsAbove) {
  write("proc/self/cgroup", "4:cpu,cpuacct:/a/b\n0::/c/d\n");
  EXPECT_EQ(cpu_quota(root()), std::nullopt);
  write("sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/c/d/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root()), std::nullopt);
  write("sys/fs/cgroup/c/cpu.max", "150000 50000\n");
  EXPECT_EQ(cpu_quota(root()), 3000U);
  write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "20000\n");
  write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root()), 200U);
}

// In a container the group's own directory is the top of the mount.
TEST_F(CpuLimits, AreThoseOfTheMountsTopWhereTheGroupsPathIsNotThere) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "800000 100000\n");
  EXPECT_EQ(cpu_quota(root()), 8000U);
}

TEST_F(CpuLimits, OfAnyOtherTextAreNone) {
  write("proc/self/cgroup", "0::/c\n");
  for (const auto* text : {"", "5", "x y", "-1 100000", "5 0", "99999999999999999999 1",
                           "9999999999999999999 1", "1 2 3"}) {
    write("sys/fs/cgroup/c/cpu.max", text);
    EXPECT_EQ(cpu_quota(root()), std::nullopt) << text;
  }
}

TEST_F(CpuLimits, CountCpusThatAreOnline) {
  EXPECT_EQ(cpus_online(root()), std::nullopt);
  write("sys/devices/system/cpu/online", "0-3,8\n");
  EXPECT_EQ(cpus_online(root()), 5000U);
  write("sys/devices/system/cpu/online", "what?\n");
  EXPECT_EQ(cpus_online(root()), std::nullopt);
}

}  // namespace
}  // namespace muster::preflight
