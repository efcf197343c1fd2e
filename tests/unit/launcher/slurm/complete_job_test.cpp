#include "launcher/slurm/complete_job.hpp"

#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

TEST(SlurmsLibrary, IsBesideItsPlugins) {
  const fixtures::ScratchDirectory scratch;
  const auto library = scratch.write("libslurmfull.so", "");
  const auto found_in = [](const std::string& directories) {
    return slurms_library(Config::from_text("PluginDir               = " + directories + "\n"));
  };
  EXPECT_EQ(found_in("/nowhere:" + scratch.path()), library);
  EXPECT_EQ(found_in("/nowhere"), "");
  EXPECT_EQ(slurms_library(Config()), "");
}

}  // namespace
}  // namespace muster::slurm
