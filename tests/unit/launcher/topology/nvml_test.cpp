// NVIDIA's library is asked only about MIG, and only for a limited time. A double replaces it.
#include "launcher/topology/nvml.hpp"

#include "fixtures/made_up_node.hpp"
#include "fixtures/scratch_directory.hpp"
#include "launcher/topology/live_partitions.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

namespace muster::topology {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds patience{2000};

class Nvml : public testing::Test {
 protected:
  ~Nvml() override { unsetenv("NVML_DOUBLE"); }

  static void be(const char* mode) { setenv("NVML_DOUBLE", mode, 1); }
  static std::optional<MigAnswer> ask(milliseconds time = patience) {
    return ask_mig(NVML_DOUBLE, time, 2);
  }
};

TEST_F(Nvml, NamesTheInstancesOfEachGpu) {
  const auto answer = ask();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->complete);
  const MigInstances expected{{{1, 2, 0, 0}, {"MIG-a", "MIG-b"}}, {{2, 2, 0, 0}, {}}};
  EXPECT_EQ(answer->instances, expected);
}

TEST_F(Nvml, ThatHangsIsGivenUp) {
  be("hang");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(ask(milliseconds(100)));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(Nvml, ThatCrashesOrRefusesOrIsMissingSaysNothing) {
  be("crash");
  EXPECT_FALSE(ask());
  be("refuse");
  EXPECT_FALSE(ask());
  EXPECT_FALSE(ask_mig("libnot-there.so.1", patience, 1));
}

TEST_F(Nvml, ThatSeesFewerGpusIsNotTheWholeTruth) {
  be("cgroup");
  const auto answer = ask();
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->complete);
}

class LivePartitions : public Nvml {
 protected:
  LivePartitions() {
    node_ = fixtures::made_up_node({});
    fixtures::add_gpu(node_, {0}, 1);
    fixtures::add_gpu(node_, {1}, 2);
  }

  void divide() const {
    std::filesystem::create_directories(
        root_.path("proc/driver/nvidia/capabilities/gpu0/mig/gi1/ci0"));
  }

  PartitionedTopology live() const {
    return with_live_partitions(node_, root_.path(), NVML_DOUBLE);
  }

  fixtures::ScratchDirectory root_;
  Topology node_;
};

TEST_F(LivePartitions, AskNobodyWithoutMigInstances) {
  be("crash");
  std::filesystem::create_directories(root_.path("proc/driver/nvidia/capabilities/gpu0/mig"));
  EXPECT_EQ(live().topology, node_);
  EXPECT_TRUE(live().complete);
  EXPECT_TRUE(live().warnings.empty());
}

TEST_F(LivePartitions, AreDevicesOfTheirOwn) {
  divide();
  const auto found = live();
  ASSERT_EQ(found.topology.gpus.size(), 3U);
  EXPECT_EQ(found.topology.gpus[1].uuid, "MIG-b");
  EXPECT_TRUE(found.complete);
}

TEST_F(LivePartitions, AreSaidToBeUnknownWhereNobodyAnswers) {
  divide();
  be("crash");
  const auto found = live();
  EXPECT_EQ(found.topology, node_);
  EXPECT_FALSE(found.complete);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_NE(found.warnings[0].find("MIG"), std::string::npos);
}

}  // namespace
}  // namespace muster::topology
