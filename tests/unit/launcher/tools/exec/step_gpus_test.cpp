#include "launcher/tools/exec/step_gpus.hpp"

#include "core/resources/gpu_allocation.hpp"

#include <gtest/gtest.h>

namespace muster::exec {
namespace {

using Kind = resources::GpuConfinement::Kind;

Environment sees(const std::string& ids, const std::string& visible) {
  return {{"SLURM_STEP_GPUS", ids}, {"CUDA_VISIBLE_DEVICES", visible}};
}

StepGpus step_gpus(const std::vector<Environment>& by_task) {
  return exec::step_gpus(by_task, "");
}

resources::GpuGrant grant_of(const StepGpus& gpus) {
  return resources::gpu_grant(gpus.variables, gpus.tres_bind);
}

TEST(StepGpus, AreNoneWhereTheStepHasNone) {
  EXPECT_TRUE(grant_of(step_gpus({{}, {}})).empty());
  EXPECT_TRUE(grant_of(step_gpus({})).empty());
}

TEST(StepGpus, AreThoseThatAllTasksSee) {
  const auto gpus = step_gpus({sees("2,3", "0,1"), sees("2,3", "0,1")});
  EXPECT_EQ(gpus.variables, sees("2,3", "0,1"));
  EXPECT_EQ(grant_of(gpus).confinement.kind, Kind::none);
}

TEST(StepGpus, AreTheUnionWhereEachTaskSeesItsOwn) {
  const auto grant = grant_of(step_gpus({sees("2,3", "0,1"), sees("0,1", "0,1")}));
  EXPECT_EQ(grant.ids, (std::vector<std::string>{"2", "3", "0", "1"}));
  EXPECT_EQ(grant.confinement, (resources::GpuConfinement{Kind::per_task, 2}));
}

// With ConstrainDevices, each task with one GPU sees "its GPU 0".
TEST(StepGpus, AreKnownToTheTasksAloneWhereControlGroupsMakeTheirPartsLookAlike) {
  const auto gpus = exec::step_gpus({sees("0", "0"), sees("0", "0")}, "2");
  EXPECT_EQ(grant_of(gpus).confinement.kind, Kind::unknown);
  EXPECT_EQ(gpus.count, (std::vector<std::size_t>{1, 1}));
  const auto all = exec::step_gpus({sees("2,3", "0,1"), sees("2,3", "0,1")}, "2");
  EXPECT_EQ(grant_of(all).confinement.kind, Kind::none);
}

TEST(StepGpus, AreKnownToTheTasksAloneWhereTheirPartsDifferInSizeOrOverlap) {
  const auto uneven = step_gpus({sees("0,1", "0,1"), sees("2", "0")});
  EXPECT_EQ(grant_of(uneven).confinement.kind, Kind::unknown);
  EXPECT_EQ(uneven.count, (std::vector<std::size_t>{2, 1}));
  const auto overlap = step_gpus({sees("0,1", "0,1"), sees("1,2", "0,1")});
  EXPECT_EQ(grant_of(overlap).confinement.kind, Kind::unknown);
  const auto none = step_gpus({sees("0", "0"), {}});
  EXPECT_EQ(none.count, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(grant_of(none).confinement.kind, Kind::unknown);
}

}  // namespace
}  // namespace muster::exec
