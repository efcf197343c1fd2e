#include "launcher/agent/node/library_settings.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace muster::node {
namespace {

class LibraryFiles : public testing::Test {
 protected:
  LibraryFiles() {
    for (const char* place : {"etc/ucx", "home"})
      std::filesystem::create_directories(scratch_.path(place));
  }
  Environment settings() const {
    return settings_in_files(scratch_.path(), {{"HOME", scratch_.path("home")}});
  }
  fixtures::ScratchDirectory scratch_;
};

TEST_F(LibraryFiles, AreTheSitesAndTheUsers) {
  scratch_.write("etc/nccl.conf", "# NCCL_NET=Socket\nNCCL_IB_HCA = mlx5_2\n=\nNCCL_DEBUG=WARN\n");
  scratch_.write("home/ucx.conf", "[global]\nUCX_TLS=tcp\n");
  EXPECT_EQ(settings(),
            (Environment{{"NCCL_IB_HCA", " mlx5_2"}, {"NCCL_DEBUG", "WARN"}, {"UCX_TLS", "tcp"}}));
}

TEST_F(LibraryFiles, NeedNotBeThereAndAreNoPipes) {
  EXPECT_EQ(settings(), Environment{});
  mkfifo(scratch_.path("home/.nccl.conf").c_str(), S_IRUSR | S_IWUSR);
  EXPECT_EQ(settings(), Environment{});
}

TEST(Respect, LeavesToFilesWhatTheySay) {
  const resources::FabricNames all{"=mlx5_0", "mlx5_0:1", "cxi0"};
  const auto left = [&](const Environment& settings) {
    std::vector<resources::TaskResources> tasks{{.fabric = all}};
    respect(settings, tasks);
    return tasks[0].fabric;
  };
  EXPECT_EQ(left({{"NCCL_DEBUG", "WARN"}}), all);
  EXPECT_EQ(left({{"NCCL_IB_HCA", "mlx5_2"}}), (resources::FabricNames{"", "mlx5_0:1", "cxi0"}));
  EXPECT_EQ(left({{"NCCL_IB_DISABLE", "1"}}), (resources::FabricNames{"", "mlx5_0:1", "cxi0"}));
  EXPECT_EQ(left({{"UCX_TLS", "tcp"}}), (resources::FabricNames{"=mlx5_0", "", "cxi0"}));
}

}  // namespace
}  // namespace muster::node
