#include "core/resources/visible_gpus.hpp"

#include "core/resources/gpu_lookup.hpp"
#include "fixtures/made_up_node.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::resources {
namespace {

using Numbers = std::vector<std::size_t>;

// Two NUMA nodes of four cores; GPUs 0 and 1 are attached to the second, 2 and 3 to the first: the order that
// users of Perlmutter and LUMI undo by hand.
topology::Topology crossed() {
  auto topology = fixtures::made_up_node({.packages = 1, .numa_per_package = 2});
  fixtures::add_gpu(topology, CpuSet{4, 5, 6, 7}, 0x10);
  fixtures::add_gpu(topology, CpuSet{4, 5, 6, 7}, 0x20);
  fixtures::add_gpu(topology, CpuSet{0, 1, 2, 3}, 0x30);
  fixtures::add_gpu(topology, CpuSet{0, 1, 2, 3}, 0x40);
  return topology;
}

GpuGrant nvidia_grant(const std::string& ids, const std::string& visible,
                      const std::string& bind = "") {
  return gpu_grant({{"SLURM_STEP_GPUS", ids}, {"CUDA_VISIBLE_DEVICES", visible}}, bind);
}

struct Case {
  topology::Topology topology = crossed();
  GpuGrant grant = nvidia_grant("0,1,2,3", "0,1,2,3");
  std::size_t tasks = 4;
  option::Gpus wanted = option::Gpus::shared;

  GpuViews views() {
    const auto positions = find_gpus(topology, grant);
    const binding::BindingRequest request{
        .allowed = topology.pus, .gpus = positions, .tasks = tasks, .excluded_nics = {}};
    return gpu_views(topology, grant, positions, bind(topology, request), wanted);
  }
};

std::string value(const GpuView& view, const std::string& name) {
  const auto found = std::ranges::find(view.variables, name, &EnvVar::name);
  return found == view.variables.end() ? "(not set)" : found->value;
}

TEST(SharedGpus, AreAllVisibleAndIndexLocalRankIsTheRanksOwn) {
  Case example;
  const auto views = example.views();
  for (std::size_t task = 0; task < 4; ++task) {
    const auto& view = views.tasks[task];
    EXPECT_EQ(view.own, Numbers{task});
    EXPECT_EQ(view.variables, views.tasks[0].variables);  // one list for all: NCCL compares it
    ASSERT_EQ(views.own[task].size(), 1U);
    const auto listed = value(view, "CUDA_VISIBLE_DEVICES");
    EXPECT_EQ(listed.substr(2 * task, 1), std::to_string(*views.own[task][0].index));
  }
  EXPECT_TRUE(views.warnings.empty());
}

// Many programs call int() on each name. Slurm counts GPUs by bus, so its numbers mean the same GPUs to CUDA.
TEST(SharedGpus, KeepSlurmsNumbersInTheOrderOfTheBus) {
  Case example;
  for (auto& gpu : example.topology.gpus) {
    gpu.vendor = topology::GpuVendor::nvidia;
    gpu.uuid = "GPU-" + std::to_string(gpu.index);
  }
  const auto view = example.views().tasks[0];
  EXPECT_EQ(value(view, "CUDA_VISIBLE_DEVICES"), "0,1,2,3");
  EXPECT_EQ(value(view, "CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
}

TEST(SharedGpus, UseTheStepsNamesWhereTheCgroupRenumbers) {
  Case example;
  example.grant = nvidia_grant("2,3", "0,1");
  example.tasks = 2;
  const auto views = example.views();
  EXPECT_EQ(value(views.tasks[0], "CUDA_VISIBLE_DEVICES"), "0,1");
  EXPECT_EQ(*views.own[0][0].index, 2U);
  EXPECT_EQ(views.own[0][0].busid, "0030:02:00.0");
  EXPECT_EQ(*views.own[1][0].index, 3U);
}

TEST(SharedGpus, GiveATaskSeveralWhereThereAreMoreThanTasks) {
  Case example;
  example.tasks = 2;
  const auto views = example.views();
  for (const auto& view : views.tasks) EXPECT_EQ(view.own.size(), 2U);
  EXPECT_EQ(views.tasks[0].own[0], 0U);
  EXPECT_EQ(views.tasks[1].own[0], 1U);
}

TEST(OwnGpus, ShowEachTaskOnlyItsShareCountedFromZero) {
  Case example;
  example.wanted = option::Gpus::own;
  example.tasks = 2;
  const auto views = example.views();
  EXPECT_EQ(views.tasks[0].own, (Numbers{0, 1}));
  EXPECT_EQ(views.tasks[1].own, (Numbers{0, 1}));
  EXPECT_NE(value(views.tasks[0], "CUDA_VISIBLE_DEVICES"),
            value(views.tasks[1], "CUDA_VISIBLE_DEVICES"));
  EXPECT_EQ(value(views.tasks[0], "CUDA_VISIBLE_DEVICES").size(), 3U);
}

TEST(ConfinedGpus, StayAsSlurmMadeThemAndAreWarnedAboutOnce) {
  Case example;
  example.grant = nvidia_grant("0,1,2,3", "0,1,2,3", "gpu:per_task:1");
  const auto views = example.views();
  for (std::size_t task = 0; task < 4; ++task) {
    EXPECT_TRUE(views.tasks[task].variables.empty());
    EXPECT_EQ(views.tasks[task].own, Numbers{0});  // LOCAL_RANK would be an invalid device
    EXPECT_EQ(*views.own[task][0].index, task);
  }
  ASSERT_EQ(views.warnings.size(), 1U);
  EXPECT_NE(views.warnings[0].find("--gpu-bind=none"), std::string::npos);
}

TEST(ConfinedGpus, AreWhatGpusOwnAsksForAndHarmNoLoneTask) {
  Case example;
  example.grant = nvidia_grant("0,1", "0,1", "gpu:per_task:1");
  example.tasks = 2;
  example.wanted = option::Gpus::own;
  EXPECT_TRUE(example.views().warnings.empty());
  example.wanted = option::Gpus::shared;
  example.tasks = 1;
  EXPECT_TRUE(example.views().warnings.empty());
}

TEST(ConfinedGpus, AreUnknownWhereSlurmChoosesThemByCpus) {
  Case example;
  const auto views_with = [&](const std::string& bind) {
    example.grant = nvidia_grant("0,1,2,3", "0,1,2,3", bind);
    return example.views();
  };
  EXPECT_TRUE(views_with("gpu:closest").tasks[0].own.empty());
  EXPECT_TRUE(views_with("gpu:closest").own[0].empty());
  // How many a task sees is known, which is all that a program's own numbers need.
  EXPECT_EQ(views_with("gpu:single:1").tasks[3].own, Numbers{0});
  EXPECT_TRUE(views_with("gpu:single:1").own[3].empty());
  EXPECT_EQ(views_with("gres/gpu:per_task:2").tasks[1].own, (Numbers{0, 1}));
  EXPECT_TRUE(views_with("gres/gpu:per_task:2").own[1].empty());
}

TEST(ConfinedGpus, AreKnownFromTheUsersList) {
  Case example;
  example.grant = nvidia_grant("0,1,2,3", "0,1,2,3", "gpu:map:3,2,1,0");
  EXPECT_EQ(*example.views().own[0][0].index, 3U);
  example.grant = nvidia_grant("0,1,2,3", "0,1,2,3", "gpu:mask_gpu:0x3,0xc");
  EXPECT_EQ(example.views().tasks[1].own, (Numbers{0, 1}));
  EXPECT_EQ(*example.views().own[1][1].index, 3U);
}

TEST(AmdGpus, AreCountedAnewBelowRocr) {
  Case example;
  for (auto& gpu : example.topology.gpus) gpu.vendor = topology::GpuVendor::amd;
  example.grant = gpu_grant({{"SLURM_STEP_GPUS", "2,3"},
                             {"ROCR_VISIBLE_DEVICES", "2,3"},
                             {"CUDA_VISIBLE_DEVICES", "2,3"},
                             {"HIP_VISIBLE_DEVICES", "2,3"}},
                            "");
  example.tasks = 2;
  const auto view = example.views().tasks[0];
  EXPECT_EQ(value(view, "ROCR_VISIBLE_DEVICES"), "2,3");
  EXPECT_EQ(value(view, "HIP_VISIBLE_DEVICES"), "0,1");
  EXPECT_EQ(value(view, "CUDA_VISIBLE_DEVICES"), "0,1");
}

TEST(IntelGpus, AreCountedByBus) {
  Case example;
  example.grant = gpu_grant({{"SLURM_STEP_GPUS", "0,1"}, {"ZE_AFFINITY_MASK", "0,1"}}, "");
  EXPECT_EQ(value(example.views().tasks[0], "ZE_ENABLE_PCI_ID_DEVICE_ORDER"), "1");
}

TEST(UnknownGpus, KeepSlurmsOrderAndNumbers) {
  Case example;
  example.topology.gpus.clear();
  example.grant = nvidia_grant("1,3", "1,3");
  example.tasks = 2;
  const auto views = example.views();
  EXPECT_EQ(value(views.tasks[0], "CUDA_VISIBLE_DEVICES"), "1,3");
  EXPECT_EQ(*views.own[1][0].index, 3U);
  EXPECT_EQ(views.own[1][0].busid, "");
}

TEST(UnknownGpus, AreAllUnknownWhereOneIs) {
  Case example;
  example.grant = nvidia_grant("0,9", "0,9");
  const auto before = example.topology.gpus.size();
  EXPECT_EQ(find_gpus(example.topology, example.grant), (Numbers{before, before + 1}));
}

TEST(NoGpus, ShowNothing) {
  Case example;
  example.grant = {};
  const auto views = example.views();
  ASSERT_EQ(views.tasks.size(), 4U);
  EXPECT_TRUE(views.tasks[0].variables.empty());
  EXPECT_TRUE(views.warnings.empty());
}

}  // namespace
}  // namespace muster::resources
