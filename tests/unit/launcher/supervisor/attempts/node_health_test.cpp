#include "launcher/supervisor/attempts/node_health.hpp"

#include <gtest/gtest.h>

namespace muster::attempts {
namespace {

const srun::Command without_gpus{{"srun", "-N2", "./train", "--gpus=2"}, 2};

TEST(HasGpus, WhereTheUserAsksForThem) {
  EXPECT_FALSE(has_gpus(without_gpus, {}));
  for (const auto* const option : {"--gpus=2", "-G2", "--gpus-per-node=1", "--gpus-per-task=1",
                                   "--gres=gpu:2", "--tres-per-task=cpu:2,gres/gpu:1"}) {
    EXPECT_TRUE(has_gpus({{"srun", option, "./train"}, 2}, {})) << option;
  }
  EXPECT_FALSE(has_gpus({{"srun", "--gres=nvme:1", "./train"}, 2}, {}));
}

TEST(HasGpus, WhereSlurmSaysSo) {
  EXPECT_TRUE(has_gpus(without_gpus, {{"SLURM_JOB_GPUS", "0,1"}}));
  EXPECT_TRUE(has_gpus(without_gpus, {{"SLURM_GPUS_PER_NODE", "2"}}));
  EXPECT_FALSE(has_gpus(without_gpus, {{"SLURM_TRES_PER_TASK", "cpu=2"}}));
}

}  // namespace
}  // namespace muster::attempts
