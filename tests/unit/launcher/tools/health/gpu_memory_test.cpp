// With a double of NVIDIA's library.
#include "launcher/tools/health/gpu_memory.hpp"

#include <chrono>
#include <cstdlib>

#include <gtest/gtest.h>

namespace muster::health {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

TEST(IsHeld, FromATwentiethAndAGibibyteOn) {
  EXPECT_FALSE(is_held(0, 80 * gib));
  EXPECT_FALSE(is_held(4 * gib, 80 * gib));
  EXPECT_TRUE(is_held(5 * gib, 80 * gib));
  EXPECT_FALSE(is_held(gib, 8 * gib));
  EXPECT_TRUE(is_held(2 * gib, 8 * gib));
}

class GpuMemory : public testing::Test {
 protected:
  ~GpuMemory() override { unsetenv("NVML_DOUBLE"); }

  static bool is_held_by(const char* mode, std::chrono::milliseconds patience = 200ms) {
    setenv("NVML_DOUBLE", mode, 1);
    return gpu_memory_is_held(NVML_DOUBLE, patience);
  }
};

TEST_F(GpuMemory, IsFreeOnANodeAtRest) {
  EXPECT_FALSE(is_held_by(""));
}

TEST_F(GpuMemory, IsHeldByNobodyWhereTheDriverHasNotGivenItBack) {
  EXPECT_TRUE(is_held_by("held"));
  EXPECT_TRUE(is_held_by("held old"));
}

TEST_F(GpuMemory, IsWaitedForAndThenFree) {
  EXPECT_FALSE(is_held_by("freed", 20s));
}

TEST_F(GpuMemory, CountsNotWhereAProcessUsesIt) {
  EXPECT_FALSE(is_held_by("used"));
}

TEST_F(GpuMemory, CountsNotWhereNobodyCanBeAsked) {
  EXPECT_FALSE(is_held_by("refuse"));
  EXPECT_FALSE(is_held_by("crash"));
  EXPECT_FALSE(is_held_by("hang", 0ms));
  EXPECT_FALSE(gpu_memory_is_held("libnot-there.so.1", 200ms));
}

}  // namespace
}  // namespace muster::health
