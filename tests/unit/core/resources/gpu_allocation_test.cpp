#include "core/resources/gpu_allocation.hpp"

#include "core/topology/device.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::resources {
namespace {

using Kind = GpuConfinement::Kind;
using Texts = std::vector<std::string>;

TEST(GpuGrant, IsEmptyWhereSlurmGaveNone) {
  EXPECT_TRUE(gpu_grant({}, "").empty());
  // The user's own variable, exported on a node whose GPUs Slurm does not know.
  EXPECT_TRUE(gpu_grant({{"CUDA_VISIBLE_DEVICES", "0,1"}}, "").empty());
}

TEST(GpuGrant, KeepsTheNodesNumbersBesideTheNamesThatTheStepUses) {
  const auto grant = gpu_grant({{"SLURM_STEP_GPUS", "2,3"},
                                {"CUDA_VISIBLE_DEVICES", "0,1"},
                                {"ROCR_VISIBLE_DEVICES", "0,1"}},
                               "");
  EXPECT_EQ(grant.ids, (Texts{"2", "3"}));
  EXPECT_EQ(grant.visible, (Texts{"0", "1"}));
  EXPECT_EQ(grant.variables, (Texts{"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}));
  EXPECT_EQ(grant.confinement.kind, Kind::none);
}

TEST(GpuGrant, ReadsRangesAndTakesPartitionsByTheirOwnNames) {
  EXPECT_EQ(gpu_grant({{"SLURM_STEP_GPUS", "0-2,6"}}, "").visible, (Texts{"0", "1", "2", "6"}));
  const auto mig = gpu_grant(
      {{"SLURM_STEP_GPUS", "0:1,0:2"}, {"CUDA_VISIBLE_DEVICES", "MIG-aa-bb,MIG-cc-dd"}}, "");
  EXPECT_EQ(mig.visible, (Texts{"MIG-aa-bb", "MIG-cc-dd"}));
}

TEST(GpuGrant, TrustsWhatTheStepSeesWhereTheListsDiffer) {
  const auto grant =
      gpu_grant({{"SLURM_STEP_GPUS", "0"}, {"CUDA_VISIBLE_DEVICES", "GPU-a,GPU-b"}}, "");
  EXPECT_EQ(grant.ids, grant.visible);
}

// A site whose gres.conf has Flags=amd_gpu_env: Slurm sets ROCR_VISIBLE_DEVICES only.
TEST(GpuGrant, IsReadFromTheVariableThatSlurmSetNotFromOneThatTheUserExported) {
  const Environment environment{
      {"SLURM_STEP_GPUS", "2,3"}, {"CUDA_VISIBLE_DEVICES", "0,1"}, {"ROCR_VISIBLE_DEVICES", "2,3"}};
  const auto unknown = gpu_grant(environment, "");
  EXPECT_EQ(unknown.visible, (Texts{"2", "3"}));
  EXPECT_EQ(unknown.variables, (Texts{"ROCR_VISIBLE_DEVICES"}));
  // HIP reads the other list as well, so muster has to replace it.
  const auto amd = gpu_grant(environment, "", topology::GpuVendor::amd);
  EXPECT_EQ(amd.visible, (Texts{"2", "3"}));
  EXPECT_EQ(amd.variables, (Texts{"ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}));
}

TEST(GpuGrant, PrefersTheVendorsOwnVariableInACgroupThatHidesOtherGpus) {
  EXPECT_EQ(gpu_grant({{"SLURM_STEP_GPUS", "2,3"},
                       {"CUDA_VISIBLE_DEVICES", "2,3"},
                       {"ROCR_VISIBLE_DEVICES", "0,1"}},
                      "", topology::GpuVendor::amd)
                .visible,
            (Texts{"0", "1"}));
}

TEST(GpuGrant, IgnoresAListThatHasTooFewGpusOrOthers) {
  for (const auto* const exported : {"0", "0,3", "0,1,2,3", ""}) {
    const auto grant = gpu_grant({{"SLURM_STEP_GPUS", "1,2"},
                                  {"CUDA_VISIBLE_DEVICES", exported},
                                  {"ROCR_VISIBLE_DEVICES", "1,2"}},
                                 "", topology::GpuVendor::nvidia);
    EXPECT_EQ(grant.visible, (Texts{"1", "2"})) << exported;
  }
}

TEST(GpuGrant, IsBoundedWhateverTheRange) {
  EXPECT_EQ(gpu_grant({{"SLURM_STEP_GPUS", "0-99999999999"}}, "").ids.size(), 1024U);
}

using Lists = std::vector<std::vector<std::size_t>>;

Kind kind_of(const std::string& tres_bind) {
  return parse_gpu_confinement(tres_bind).kind;
}

TEST(GpuConfinement, KnowsSlurmsWords) {
  EXPECT_EQ(kind_of(""), Kind::none);
  EXPECT_EQ(kind_of("gpu:none"), Kind::none);
  EXPECT_EQ(kind_of("nic:closest"), Kind::none);
  EXPECT_EQ(parse_gpu_confinement("gpu:single:2"), (GpuConfinement{Kind::by_cpus, 1}));
  EXPECT_EQ(parse_gpu_confinement("gres/gpu:closest"), (GpuConfinement{Kind::by_cpus}));
  EXPECT_EQ(kind_of("gpu:nearest"), Kind::unknown);
}

TEST(GpuConfinement, ConsidersTheTasksCpusSinceTheReleaseThatWritesGres) {
  EXPECT_EQ(parse_gpu_confinement("gpu:per_task:2"), (GpuConfinement{Kind::per_task, 2}));
  EXPECT_EQ(parse_gpu_confinement("gres/nic:single:1+gres/gpu:per_task:1"),
            (GpuConfinement{Kind::by_cpus, 1}));
  EXPECT_EQ(kind_of("gpu:per_task:many"), Kind::unknown);
  EXPECT_EQ(kind_of("gpu:per_task:0"), Kind::unknown);
}

TEST(GpuConfinement, ReadsListsWithRepetitions) {
  EXPECT_EQ(parse_gpu_confinement("gpu:verbose,map_gpu:1,0"),
            (GpuConfinement{Kind::map, 0, Lists{{1}, {0}}}));
  EXPECT_EQ(parse_gpu_confinement("gres/gpu:map:0x1*2,3*0"),
            (GpuConfinement{Kind::map, 0, Lists{{1}, {1}, {3}}}));
  EXPECT_EQ(parse_gpu_confinement("gpu:mask_gpu:0x3,0xc"),
            (GpuConfinement{Kind::map, 0, Lists{{0, 1}, {2, 3}}}));
  for (const auto* const odd :
       {"gpu:map:", "gpu:map:a", "gpu:map:0*x", "gpu:mask:0x", "gpu:map:0*99999"})
    EXPECT_EQ(kind_of(odd), Kind::unknown) << odd;
}

}  // namespace
}  // namespace muster::resources
