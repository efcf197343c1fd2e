// Which GPUs each task has, in the cases in which that follows from Slurm's rules alone.
#include "core/resources/gpu_assignment.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::resources {
namespace {

using Lists = std::vector<std::vector<std::size_t>>;

std::optional<Lists> assigned(const std::string& bind, std::size_t tasks,
                              const std::string& ids = "0,1,2,3",
                              const std::string& visible = "0,1,2,3") {
  return assigned_gpus(
      gpu_grant({{"SLURM_STEP_GPUS", ids}, {"CUDA_VISIBLE_DEVICES", visible}}, bind), tasks);
}

TEST(AssignedGpus, AreInOrderWhereSlurmDoesNotConsiderCpus) {
  EXPECT_EQ(assigned("gpu:per_task:1", 2), (Lists{{0}, {1}}));
  EXPECT_EQ(assigned("gpu:per_task:2", 2), (Lists{{0, 1}, {2, 3}}));
  EXPECT_EQ(assigned("gpu:per_task:3", 3), (Lists{{0, 1, 2}, {3}, {0}}));
}

TEST(AssignedGpus, AreOnlyKnownToSlurmWhereItConsidersCpus) {
  for (const auto* const bind : {"gpu:closest", "gpu:single:1", "gpu:single:4",
                                 "gres/gpu:per_task:1", "gres/gpu:per_task:2", "gpu:per_task:x"})
    EXPECT_EQ(assigned(bind, 2), std::nullopt) << bind;
  EXPECT_EQ(assigned("gpu:closest", 1), std::nullopt);
}

TEST(AssignedGpus, AreTheStepsWhereSlurmHasNoChoice) {
  EXPECT_EQ(assigned("gpu:closest", 2, "3", "0"), (Lists{{0}, {0}}));
  EXPECT_EQ(assigned("gpu:single:2", 2, "3", "3"), (Lists{{0}, {0}}));
  EXPECT_EQ(assigned("gres/gpu:per_task:2", 1, "2,3", "0,1"), (Lists{{0, 1}}));
  EXPECT_EQ(assigned("gpu:by_task", 2, "3", "0"), std::nullopt);
}

TEST(AssignedGpus, AreOnlyKnownToSlurmWhereATaskIsAloneUnlessItGetsAll) {
  for (const auto* const bind : {"gpu:per_task:1", "gpu:map_gpu:1", "gres/gpu:mask:0x1"})
    EXPECT_EQ(assigned(bind, 1), std::nullopt) << bind;
  EXPECT_EQ(assigned("gpu:per_task:4", 1), (Lists{{0, 1, 2, 3}}));
}

TEST(AssignedGpus, AreListedAnewForFurtherTasks) {
  EXPECT_EQ(assigned("gpu:map_gpu:3,1", 3), (Lists{{3}, {1}, {3}}));
  EXPECT_EQ(assigned("gpu:mask_gpu:0x3,0xc", 2), (Lists{{0, 1}, {2, 3}}));
}

TEST(AssignedGpus, AreListedByTheNodesNumbersUnlessTheControlGroupCounts) {
  EXPECT_EQ(assigned("gres/gpu:map:3,2", 2, "2,3", "2,3"), (Lists{{1}, {0}}));
  EXPECT_EQ(assigned("gres/gpu:map:1,0", 2, "2,3", "0,1"), (Lists{{1}, {0}}));
  EXPECT_EQ(assigned("gres/gpu:map:1,0", 2, "0,1", "GPU-a,GPU-b"), (Lists{{1}, {0}}));
  EXPECT_EQ(assigned("gres/gpu:map:1,0", 2, "2,3", "GPU-a,GPU-b"), std::nullopt);
}

TEST(AssignedGpus, AreTheStepsFirstWhereTheListNamesNone) {
  EXPECT_EQ(assigned("gres/gpu:map:0,3", 2, "2,3", "2,3"), (Lists{{0}, {1}}));
  EXPECT_EQ(assigned("gres/gpu:mask:0x10", 2), (Lists{{0}, {0}}));
}

TEST(AssignedGpus, AreNotThoseOfAStepWhoseGpusAllTasksSee) {
  EXPECT_EQ(assigned("", 4), std::nullopt);
  EXPECT_EQ(assigned_gpus({}, 4), std::nullopt);
}

}  // namespace
}  // namespace muster::resources
