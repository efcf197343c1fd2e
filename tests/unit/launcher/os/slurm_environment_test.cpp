#include "launcher/os/slurm_environment.hpp"

#include <gtest/gtest.h>

namespace muster::os {
namespace {

TEST(SlurmEnvironment, ShapesAStepByWhatSrunAndPluginsRead) {
  for (const auto* const name :
       {"SLURM_JOB_ID", "SLURM_WORKING_DIR", "SRUN_CONTAINER", "_SLURM_SPANK_OPTION_uenv_uenv",
        "MUSTER_DISTRIBUTED", "PYXIS_CONTAINER_IMAGE"}) {
    EXPECT_TRUE(shapes_a_step(name)) << name;
  }
}

TEST(SlurmEnvironment, DoesNotShapeAStepByWhichSlurmItIs) {
  for (const auto* const name : {"SLURM_CONF", "SLURM_JWT", "MUSTER_NCCL_LIBRARY", "PATH"}) {
    EXPECT_FALSE(shapes_a_step(name)) << name;
  }
}

}  // namespace
}  // namespace muster::os
