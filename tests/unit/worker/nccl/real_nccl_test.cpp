// The real NCCL, through the C ABI: the one that MUSTER_NCCL_LIBRARY names or the system has. Skipped if
// there is none. These tests need no GPU; tests/bench/nccl has those that do.
#include "muster/muster.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace {

using Clock = std::chrono::steady_clock;
using Id = std::array<unsigned char, MUSTER_NCCL_ID_BYTES>;

int threads() {
  const std::filesystem::directory_iterator tasks{"/proc/self/task"};
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

class RealNccl : public ::testing::Test {
 protected:
  void SetUp() override {
    if (muster_nccl_version(&version) != MUSTER_OK) GTEST_SKIP() << muster_last_error();
    muster_options options = MUSTER_OPTIONS;
    options.transport = MUSTER_TRANSPORT_SINGLE;
    ASSERT_EQ(muster_init(&step, &options), MUSTER_OK) << muster_last_error();
  }
  void TearDown() override { muster_finalize(&step, MUSTER_DEFAULT); }

  Id make_id() {
    muster_nccl_options options = MUSTER_NCCL_OPTIONS;
    options.flags = MUSTER_NCCL_IDS_ONLY;
    Id id{};
    std::size_t count = 0;
    EXPECT_EQ(muster_nccl_ids(step, &options, id.data(), 1, &count), MUSTER_OK)
        << muster_last_error();
    EXPECT_EQ(count, 1u);
    return id;
  }

  int version = 0;
  muster_t* step = nullptr;
};

TEST_F(RealNccl, HasAVersionThatWeKnowHowToUse) {
  EXPECT_GE(version, 21800);
}

TEST_F(RealNccl, MakesIdsWithoutAGpuAndWithOneThreadEach) {
  const int before = threads();
  const auto first = make_id();
  const auto second = make_id();
  EXPECT_NE(first, second);
  EXPECT_TRUE(std::any_of(first.begin(), first.begin() + 8, [](auto byte) { return byte != 0; }))
      << "the eight random bytes that an id begins with";
  EXPECT_LE(threads() - before, 2) << "NCCL's root threads, none of ours";
}

TEST_F(RealNccl, MakesAnIdOfItsOwnWhereAnOldVariableNamesAnAddress) {
  ::setenv("NCCL_COMM_ID", "192.0.2.1:29500", 1);
  const int before = threads();
  make_id();
  EXPECT_EQ(std::getenv("NCCL_COMM_ID"), nullptr);
  EXPECT_EQ(threads() - before, 1) << "with an address instead of an id NCCL starts no root";
}

TEST_F(RealNccl, IsNotStartedWhereThereIsNoGpu) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "there is a GPU here";
  void* comm = &comm;
  const auto start = Clock::now();
  EXPECT_EQ(muster_nccl_init(step, nullptr, &comm), MUSTER_ERR_GPU);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds{5});
  EXPECT_EQ(comm, nullptr);
  const std::string line = muster_last_error();
  EXPECT_NE(line.find(std::string{muster_node_name(step)} + ": rank 0 "), std::string::npos)
      << line;
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
}

}  // namespace
