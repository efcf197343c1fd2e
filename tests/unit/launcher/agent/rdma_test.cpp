#include "agent/rdma.hpp"

#include "scratch_directory.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

class Rdma : public testing::Test {
 protected:
  void port(const std::string& device, const std::string& number, const std::string& state) const {
    const auto place = "class/infiniband/" + device + "/ports/" + number;
    std::filesystem::create_directories(scratch_.path(place));
    scratch_.write(place + "/state", state);
  }
  test::ScratchDirectory scratch_;
};

TEST_F(Rdma, HasNothingToNameWithoutDevices) {
  EXPECT_EQ(active_hcas(scratch_.path()), "");
  EXPECT_EQ(active_hcas("/nonexistent"), "");
}

TEST_F(Rdma, NamesDevicesWithAnActivePortExactly) {
  port("mlx5_1", "1", "4: ACTIVE\n");
  port("mlx5_0", "1", "4: ACTIVE\n");
  port("mlx5_10", "1", "4: ACTIVE\n");
  EXPECT_EQ(active_hcas(scratch_.path()), "=mlx5_0,mlx5_1,mlx5_10");
}

TEST_F(Rdma, LeavesOutDevicesThatAreDownOrTellNothing) {
  port("mlx5_0", "1", "1: DOWN\n");
  port("mlx5_1", "1", "2: INIT\n");
  port("mlx5_2", "1", "");
  port("mlx5_3", "1", "4: ACTIVE_DEFER\n");
  EXPECT_EQ(active_hcas(scratch_.path()), "");
}

TEST_F(Rdma, NamesADeviceOfWhichAnyPortIsActive) {
  port("mlx5_0", "1", "1: DOWN\n");
  port("mlx5_0", "2", "4: ACTIVE\n");
  EXPECT_EQ(active_hcas(scratch_.path()), "=mlx5_0");
}

}  // namespace
}  // namespace muster::agent
