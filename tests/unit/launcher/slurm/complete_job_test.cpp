#include "launcher/slurm/complete_job.hpp"

#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

TEST(SlurmsLibrary, IsBesideItsPlugins) {
  const fixtures::ScratchDirectory scratch;
  const auto library = scratch.write("libslurmfull.so", "");
  EXPECT_EQ(slurms_library(
                "KillWait = 30 sec\nPluginDir               = /nowhere:" + scratch.path() + "\n"),
            library);
  EXPECT_EQ(slurms_library("PluginDir               = /nowhere\n"), "");
  EXPECT_EQ(slurms_library(""), "");
}

}  // namespace
}  // namespace muster::slurm
