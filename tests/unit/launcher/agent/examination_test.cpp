// What a node tells about a slow rank, read from files as the kernel writes them.
#include "launcher/agent/examination.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class ExaminationTest : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const auto path = fs::path(scratch.path()) / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  // A rank with one worker, in both versions of control groups.
  void write_rank(const std::string& computed, const std::string& queued, int faults,
                  int worker_ticks) {
    write("proc/7/cgroup", "4:cpu,cpuacct:/slurm/job_1\n0::/slurm/job_1/task_0\n");
    write("proc/7/schedstat", computed + " " + queued + " 17\n");
    write("proc/7/stat",
          "7 (a (b) c) S 1 1 1 0 -1 0 0 0 " + std::to_string(faults) + " 0 5 5 0 0\n");
    write("proc/7/task/7/children", "8 ");
    write("proc/8/stat",
          "8 (worker) R 7 1 1 0 -1 0 0 0 0 0 " + std::to_string(worker_ticks) + " 0 0 0\n");
  }
  slow::Evidence after_five_seconds(const std::function<void()>& change) {
    auto before = read_counters(scratch.path("proc"), scratch.path("cgroup"), {7});
    change();
    auto after = read_counters(scratch.path("proc"), scratch.path("cgroup"), {7});
    after.time = before.time + 5s;
    return compare(before, after);
  }

  fixtures::ScratchDirectory scratch;
};

TEST_F(ExaminationTest, ComparesTheCountersOfTheRankAndOfWhatIsBelowIt) {
  write_rank("1000000000", "2000000000", 3, 100);
  const auto found = after_five_seconds([&] { write_rank("3000000000", "3000000000", 5003, 550); });
  EXPECT_EQ(found.computing, 400U);
  EXPECT_EQ(found.queueing, 200U);
  EXPECT_EQ(found.faults, 1000U);
  EXPECT_EQ(found.workers, 1U);
  EXPECT_EQ(found.workers_computing, 900U);
  EXPECT_FALSE(found.throttled);
}

TEST_F(ExaminationTest, SeesALimitOfAnyGroupAboveInBothVersions) {
  write_rank("1", "1", 0, 0);
  write("cgroup/slurm/job_1/cpu.stat",
        "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 1000000\n");
  EXPECT_EQ(after_five_seconds([&] {
              write("cgroup/slurm/job_1/cpu.stat", "usage_usec 5\nthrottled_usec 2000000\n");
            }).throttled,
            200U);
  fs::remove(fs::path(scratch.path()) / "cgroup/slurm/job_1/cpu.stat");
  write("cgroup/cpu,cpuacct/slurm/cpu.stat",
        "nr_periods 9\nnr_throttled 3\nthrottled_time 1000000000\n");
  EXPECT_EQ(after_five_seconds([&] {
              write("cgroup/cpu,cpuacct/slurm/cpu.stat", "throttled_time 4000000000\n");
            }).throttled,
            600U);
}

TEST_F(ExaminationTest, SeesWhoWaitsForMemory) {
  write_rank("1", "1", 0, 0);
  const auto pressure = [](const std::string& total) {
    return "some avg10=0.00 avg60=0.00 avg300=0.00 total=" + total + "\nfull avg10=0.00 total=9\n";
  };
  write("proc/pressure/memory", pressure("5"));
  write("proc/meminfo", "MemTotal:       24684140 kB\nMemAvailable:   2000000 kB\n");
  EXPECT_EQ(
      after_five_seconds([&] { write("proc/pressure/memory", pressure("500005")); }).memory_stall,
      100U);
  write("cgroup/slurm/job_1/task_0/memory.pressure", pressure("0"));
  EXPECT_EQ(
      after_five_seconds([&] { write("proc/pressure/memory", pressure("900005")); }).memory_stall,
      0U);
}

TEST_F(ExaminationTest, LeavesOutThePressureOfANodeThatHasMemory) {
  write_rank("1", "1", 0, 0);
  write("proc/pressure/memory", "some avg10=0.00 total=5\n");
  write("proc/meminfo", "MemTotal:       24684140 kB\nMemAvailable:   18582000 kB\n");
  EXPECT_FALSE(after_five_seconds([&] {
                 write("proc/pressure/memory", "some avg10=0.00 total=900005\n");
               }).memory_stall);
}

TEST_F(ExaminationTest, CountsTheSegmentsThatTheNodeRepeats) {
  write("proc/net/snmp", "Tcp: RtoMin OutSegs RetransSegs\nTcp: 200 1000 5\n");
  const auto found = after_five_seconds(
      [&] { write("proc/net/snmp", "Tcp: RtoMin OutSegs RetransSegs\nTcp: 200 3000 105\n"); });
  EXPECT_EQ(found.segments, 2000U);
  EXPECT_EQ(found.repeated, 100U);
}

TEST_F(ExaminationTest, DoesNotCountSegmentsThatWereRepeatedAlthoughTheyHadArrived) {
  write("proc/net/snmp", "Tcp: OutSegs RetransSegs\nTcp: 1000 5\n");
  write("proc/net/netstat",
        "TcpExt: SyncookiesSent TCPDSACKRecvSegs\nTcpExt: 1 3\nIpExt: InOctets\nIpExt: 9\n");
  const auto found = after_five_seconds([&] {
    write("proc/net/snmp", "Tcp: OutSegs RetransSegs\nTcp: 3000 105\n");
    write("proc/net/netstat", "TcpExt: SyncookiesSent TCPDSACKRecvSegs\nTcpExt: 1 73\n");
  });
  EXPECT_EQ(found.segments, 2000U);
  EXPECT_EQ(found.repeated, 30U);
}

TEST_F(ExaminationTest, KnowsNothingWhereThereIsNothingOrNonsense) {
  EXPECT_EQ(after_five_seconds([] {}), slow::Evidence{.faults = 0});
  for (const auto* file : {"cgroup", "schedstat", "stat", "task/7/children"})
    write(std::string("proc/7/") + file, ") \xff : a ::: -1 99999999999999999999999\n(");
  write("proc/net/snmp", "Tcp: Tcp:\nTcp: x\n");
  write("proc/pressure/memory", "some total=x");
  write("proc/meminfo", "MemTotal: x\nMemAvailable:");
  EXPECT_EQ(
      slow::cause_of(after_five_seconds([] {})),
      "it waits without computing: probably for storage, data, the network or another program");
}

TEST_F(ExaminationTest, ReadsThisProcess) {
  const auto counters = read_counters("/proc", "/sys/fs/cgroup", {getpid()});
  EXPECT_TRUE(counters.ranks.at(getpid()).computed_ns);
}

}  // namespace
}  // namespace muster::agent
