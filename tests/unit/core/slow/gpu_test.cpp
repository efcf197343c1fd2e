#include "core/slow/gpu.hpp"

#include <gtest/gtest.h>

namespace muster::slow {
namespace {

GpuLook gpu(const char* busid, std::uint32_t megahertz) {
  return {.busid = busid, .megahertz = megahertz, .celsius = 60};
}

TEST(SlowGpu, LinesAreReadBack) {
  const std::vector<GpuLook> gpus{
      {"0000:1b:00.0", 10, 620, 30, 1000, 1290, 87, 2},
      {"0000:43:00.0", 1000, 0, 0, 0, 345, 30, 0},
  };
  EXPECT_EQ(gpus_in(to_text(gpus)), gpus);
}

TEST(SlowGpu, OtherLinesAreLeftOutAndNumbersAreBounded) {
  EXPECT_TRUE(gpus_in("").empty());
  EXPECT_TRUE(gpus_in("0000:1b:00.0 1 2\n0000:1b:00.0 1 2 3 4 5 6 seven\n").empty());
  const auto gpus = gpus_in("0000:1b:00.0 4000000000 0 0 0 4000000000 4000000000 1\n");
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].idle, 1000U);
  EXPECT_EQ(gpus[0].megahertz, max_megahertz);
  EXPECT_EQ(gpus[0].celsius, max_celsius);
  std::string many;
  for (int i = 0; i < 100; ++i) many += to_text({gpu("0000:1b:00.0", 1)});
  EXPECT_EQ(gpus_in(many).size(), max_gpus);
}

TEST(SlowGpu, IsComparedWithTheOthersThatWork) {
  auto idle = gpu("d", 345);
  idle.idle = 1000;
  const auto found =
      gpu_evidence({gpu("a", 1290), gpu("b", 1755), gpu("c", 1740), gpu("e", 1760), idle}, {"a"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->megahertz, 1290U);
  EXPECT_EQ(found->other_megahertz, 1755U);
  EXPECT_EQ(found->strangers, 0U);
}

TEST(SlowGpu, ThatIsIdleSaysNothingOfItsClock) {
  auto idle = gpu("a", 345);
  idle.idle = 900;
  EXPECT_EQ(gpu_evidence({idle, gpu("b", 1755)}, {"a"})->megahertz, 0U);
}

TEST(SlowGpu, IsTheWorstOfSeveral) {
  auto hot = gpu("b", 1100);
  hot.hot = 700;
  hot.celsius = 88;
  const auto found = gpu_evidence({gpu("a", 1700), hot}, {"a", "b"});
  EXPECT_EQ((std::tuple(found->hot, found->celsius, found->megahertz)),
            (std::tuple(700U, 88U, 1100U)));
  EXPECT_EQ(found->other_megahertz, 0U);
}

TEST(SlowGpu, IsSharedWithTheMostStrangersOnAnyOfSeveral) {
  auto shared = gpu("b", 1700);
  shared.strangers = 2;
  EXPECT_EQ(gpu_evidence({gpu("a", 1700), shared}, {"a", "b"})->strangers, 2U);
  EXPECT_EQ(gpu_evidence({gpu("a", 1700), shared}, {"a"})->strangers, 0U);
}

TEST(SlowGpu, ThatNobodyHasSeenIsNoEvidence) {
  EXPECT_FALSE(gpu_evidence({gpu("b", 1755)}, {"a"}));
  EXPECT_FALSE(gpu_evidence({}, {}));
}

}  // namespace
}  // namespace muster::slow
