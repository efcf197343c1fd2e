// With a double of NVIDIA's library.
#include "launcher/agent/gpu_watch.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

class GpuWatchTest : public testing::Test {
 protected:
  ~GpuWatchTest() override {
    unsetenv("NVML_DOUBLE");
    unsetenv("NVML_DOUBLE_PROCESS");
  }

  static std::vector<slow::GpuLook> seen_by(const char* mode, std::chrono::milliseconds time,
                                            const std::set<pid_t>& own = {}) {
    setenv("NVML_DOUBLE", mode, 1);
    return GpuWatch(NVML_DOUBLE, own, time).answer();
  }

  // How many strangers a GPU has that is used by `process` and by process 1.
  static std::uint32_t strangers_beside(pid_t process, const std::set<pid_t>& own) {
    setenv("NVML_DOUBLE_PROCESS", std::to_string(process).c_str(), 1);
    return seen_by("used", 500ms, own).at(0).strangers;
  }
};

TEST_F(GpuWatchTest, SeesEachGpuOverTheTime) {
  const auto gpus = seen_by("hot", 2s);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].busid, "0001:02:00.0");
  EXPECT_GT(gpus[0].hot, 300U);
  EXPECT_LT(gpus[0].hot, 700U);
  EXPECT_EQ(gpus[0].hot, gpus[0].capped);
  EXPECT_EQ((std::pair(gpus[0].megahertz, gpus[0].celsius)), (std::pair(1200U, 87U)));
  EXPECT_EQ((std::pair(gpus[0].idle, gpus[1].idle)), (std::pair(0U, 1000U)));
  EXPECT_EQ(gpus[1].busid, "0002:02:00.0");
}

TEST_F(GpuWatchTest, CountsTheProcessesThatDoNotBelongToTheStep) {
  EXPECT_EQ(strangers_beside(40, {40, 41}), 1U);
  EXPECT_EQ(strangers_beside(40, {1, 40}), 0U);
  EXPECT_EQ(seen_by("", 500ms, {40}).at(0).strangers, 0U);
}

TEST_F(GpuWatchTest, CountsNobodyIfTheStepsProcessesHaveOtherNumbersInNvml) {
  EXPECT_EQ(strangers_beside(40, {50}), 0U);
}

TEST_F(GpuWatchTest, CountsNoServerOfMps) {
  const pid_t server = fork();
  if (server == 0) {
    prctl(PR_SET_NAME, "nvidia-cuda-mps-server");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(60);
    pause();
    _exit(0);
  }
  const auto has_its_name = [server] {
    std::ifstream file("/proc/" + std::to_string(server) + "/comm");
    std::string name;
    return std::getline(file, name) && name == "nvidia-cuda-mps";
  };
  while (!has_its_name()) usleep(1000);
  EXPECT_EQ(strangers_beside(server, {1}), 0U) << "beside process 1, which belongs to the step";
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
}

TEST_F(GpuWatchTest, SeesNothingWhereNobodyCanBeAsked) {
  EXPECT_TRUE(seen_by("refuse", 500ms).empty());
  EXPECT_TRUE(seen_by("crash", 500ms).empty());
  EXPECT_TRUE(seen_by("hang", 100ms).empty());
  EXPECT_TRUE(GpuWatch("libnot-there.so.1", {}, 500ms).answer().empty());
}

}  // namespace
}  // namespace muster::agent
