// With a double of NVIDIA's library.
#include "launcher/agent/gpu_watch.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

class GpuWatchTest : public testing::Test {
 protected:
  ~GpuWatchTest() override { unsetenv("NVML_DOUBLE"); }

  static std::vector<slow::GpuLook> seen_by(const char* mode, std::chrono::milliseconds time) {
    setenv("NVML_DOUBLE", mode, 1);
    return GpuWatch(NVML_DOUBLE, time).answer();
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

TEST_F(GpuWatchTest, CountsTheProcessesOfEach) {
  EXPECT_EQ(seen_by("used", 1s).at(0).processes, 1U);
  EXPECT_EQ(seen_by("", 1s).at(0).processes, 0U);
}

TEST_F(GpuWatchTest, SeesNothingWhereNobodyCanBeAsked) {
  EXPECT_TRUE(seen_by("refuse", 500ms).empty());
  EXPECT_TRUE(seen_by("crash", 500ms).empty());
  EXPECT_TRUE(seen_by("hang", 100ms).empty());
  EXPECT_TRUE(GpuWatch("libnot-there.so.1", 500ms).answer().empty());
}

}  // namespace
}  // namespace muster::agent
