// Each fabric is recognised by its /sys tree, and only by that.
#include "launcher/os/fabric_evidence.hpp"

#include "fixtures/made_up_fabric.hpp"
#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

namespace muster::os {
namespace {

using fabric::Evidence;
using fabric::Fabric;

class MadeUpNode : public testing::Test {
 protected:
  [[nodiscard]] Fabric found() const { return fabric_of(read_evidence(directory_.path())); }

  fixtures::ScratchDirectory directory_;
  fixtures::MadeUpSys sys_{directory_.path()};
};

TEST(Evidence, OfEachFabricNamesThisOne) {
  for (const auto& [word, known] : fabric::fabric_names) {
    const fixtures::ScratchDirectory directory;
    make_up(fixtures::MadeUpSys(directory.path()), known);
    EXPECT_EQ(to_string(fabric_of(read_evidence(directory.path()))), word);
    EXPECT_EQ(fabric::fabric_named(word), known);
  }
}

TEST_F(MadeUpNode, HasTheGpusThatTheDriverNames) {
  EXPECT_TRUE(gpu_models(directory_.path()).empty());
  sys_.file("proc/driver/nvidia/gpus/0000:18:00.0/information",
            "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 84");
  EXPECT_EQ(gpu_models(directory_.path()), std::vector<std::string>{"NVIDIA H100 80GB HBM3"});
}

TEST_F(MadeUpNode, WithoutAnythingHasEthernet) {
  EXPECT_EQ(read_evidence(directory_.path()), Evidence());
  EXPECT_EQ(found(), Fabric::ethernet);
}

TEST_F(MadeUpNode, WhosePortsAreDownHasEthernet) {
  sys_.rdma("mlx5_0", "mlx5_core", "InfiniBand", 400, "1: DOWN");
  EXPECT_EQ(found(), Fabric::ethernet);
}

TEST_F(MadeUpNode, WithDevicesOfSoftwareOrOmniPathHasEthernet) {
  sys_.rdma("rxe0", "", "Ethernet", 100);
  sys_.rdma("hfi1_0", "hfi1", "InfiniBand", 100);
  EXPECT_EQ(found(), Fabric::ethernet);
}

TEST_F(MadeUpNode, HasTheKindOfItsFastestPorts) {
  sys_.rdma("mlx5_0", "mlx5_core", "InfiniBand", 56);
  sys_.rdma("mlx5_1", "mlx5_core", "Ethernet", 200);
  EXPECT_EQ(found(), Fabric::roce);
}

TEST_F(MadeUpNode, OfAzureWithAcceleratedNetworkingAloneHasEthernet) {
  sys_.machine("Microsoft Corporation", "Virtual Machine", "7783-7084-3265-9085-8269-3286-77");
  sys_.rdma("mlx5_an0", "mlx5_core", "Ethernet", 100);
  EXPECT_EQ(found(), Fabric::ethernet);
}

TEST_F(MadeUpNode, OfGoogleWithManyInterfacesAndNoGpusHasEthernet) {
  sys_.machine("Google", "Google Compute Engine", "");
  for (const auto* const name : {"a", "b", "c", "d", "e"}) sys_.interface(name, "gve");
  EXPECT_EQ(found(), Fabric::ethernet);
}

TEST_F(MadeUpNode, OfOracleWithItsHostsOwnNicAloneHasEthernet) {
  sys_.machine("Oracle Corporation", "BM.Standard3.64", "OracleCloud.com");
  sys_.rdma("mlx5_0", "mlx5_core", "Ethernet", 50);
  EXPECT_EQ(found(), Fabric::ethernet);
}

}  // namespace
}  // namespace muster::os
