#include "launcher/os/rdma_devices.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace muster::os {
namespace {

TEST(Rdma, IsThereWithAnyDeviceOfVerbsOrOfSlingshot) {
  const fixtures::ScratchDirectory scratch;
  const auto make = [&](const char* place) {
    std::filesystem::create_directories(scratch.path(place));
  };
  EXPECT_FALSE(has_rdma(scratch.path()));
  make("class/infiniband");
  EXPECT_FALSE(has_rdma(scratch.path()));
  make("class/cxi/cxi0");
  EXPECT_TRUE(has_rdma(scratch.path()));
}

TEST(Rdma, CountsADeviceThatIsDown) {
  const fixtures::ScratchDirectory scratch;
  std::filesystem::create_directories(scratch.path("class/infiniband/mlx5_0"));
  EXPECT_TRUE(has_rdma(scratch.path()));
}

}  // namespace
}  // namespace muster::os
