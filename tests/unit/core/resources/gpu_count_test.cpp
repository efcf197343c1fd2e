#include "core/resources/gpu_count.hpp"

#include "core/topology/topology.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::resources {
namespace {

using topology::GpuVendor;

topology::Topology node_of(GpuVendor vendor, const std::vector<std::string>& uuids) {
  topology::Topology node;
  for (const auto& uuid : uuids) {
    topology::Gpu gpu;
    gpu.vendor = vendor;
    gpu.index = static_cast<unsigned>(node.gpus.size());
    if (!uuid.empty()) gpu.uuid = uuid;
    node.gpus.push_back(gpu);
  }
  return node;
}

const topology::Topology nvidia =
    node_of(GpuVendor::nvidia, {"GPU-aa01", "GPU-ab02", "GPU-ac03", "GPU-ad04"});

std::size_t with(const char* list, const topology::Topology& node = nvidia) {
  return visible_gpu_count(node, {{"CUDA_VISIBLE_DEVICES", list}});
}

TEST(GpuCount, IsTheNodesWhereNothingHidesAny) {
  EXPECT_EQ(visible_gpu_count({}, {}), 0U);
  EXPECT_EQ(visible_gpu_count(nvidia, {}), 4U);
  EXPECT_EQ(visible_gpu_count(nvidia, {{"HIP_VISIBLE_DEVICES", "0"}}), 4U);
}

TEST(GpuCount, FollowsTheUsersList) {
  EXPECT_EQ(with("2"), 1U);
  EXPECT_EQ(with("3, 1"), 2U);
  EXPECT_EQ(with("GPU-ac03,GPU-aa01"), 2U);
  EXPECT_EQ(with("GPU-ac,GPU-aa"), 2U);
}

// As CUDA does.
TEST(GpuCount, EndsAtTheFirstNameOfNoGpu) {
  EXPECT_EQ(with(""), 0U);
  EXPECT_EQ(with("-1"), 0U);
  EXPECT_EQ(with("NoDevFiles"), 0U);
  EXPECT_EQ(with("0,-1,1"), 1U);
  EXPECT_EQ(with("0,1,7,2"), 2U);
  EXPECT_EQ(with("GPU-ac03,GPU-ff99,GPU-aa01"), 1U);
}

TEST(GpuCount, IsNoneWhereAGpuIsNamedTwice) {
  EXPECT_EQ(with("0,1,0"), 0U);
  EXPECT_EQ(with("GPU-aa01,GPU-aa"), 0U);
}

TEST(GpuCount, CountsTheInstancesOfADividedGpu) {
  const auto divided = node_of(GpuVendor::nvidia, {"MIG-a", "MIG-b", "GPU-ab02"});
  EXPECT_EQ(visible_gpu_count(divided, {}), 3U);
  EXPECT_EQ(with("MIG-b", divided), 1U);
  EXPECT_EQ(with("MIG-a,MIG-b", divided), 2U);
}

TEST(GpuCount, KnowsGpusWithoutAUuidByTheirNumbers) {
  const auto nameless = node_of(GpuVendor::nvidia, {"", ""});
  EXPECT_EQ(with("1", nameless), 1U);
  EXPECT_EQ(with("GPU-aa01", nameless), 0U);
}

TEST(GpuCount, LooksAtOneKindOfGpu) {
  auto desktop = node_of(GpuVendor::intel, {""});
  desktop.gpus.push_back(nvidia.gpus[0]);
  EXPECT_EQ(visible_gpu_count(desktop, {}), 1U);
  EXPECT_EQ(visible_gpu_count(desktop, {{"ZE_AFFINITY_MASK", "5"}}), 1U);
  EXPECT_EQ(visible_gpu_count(node_of(GpuVendor::intel, {"", ""}), {{"ZE_AFFINITY_MASK", "1"}}),
            1U);
}

TEST(GpuCount, LetsHipChooseAmongWhatRocrShows) {
  const auto amd = node_of(GpuVendor::amd, {"", "", "", ""});
  EXPECT_EQ(visible_gpu_count(amd, {{"CUDA_VISIBLE_DEVICES", "0"}}), 1U);
  EXPECT_EQ(visible_gpu_count(amd, {{"CUDA_VISIBLE_DEVICES", "0"}, {"HIP_VISIBLE_DEVICES", "0,1"}}),
            2U);
  EXPECT_EQ(visible_gpu_count(amd, {{"ROCR_VISIBLE_DEVICES", "2,3"}}), 2U);
  EXPECT_EQ(visible_gpu_count(amd, {{"ROCR_VISIBLE_DEVICES", "2,3"}, {"HIP_VISIBLE_DEVICES", "1"}}),
            1U);
  EXPECT_EQ(visible_gpu_count(amd, {{"ROCR_VISIBLE_DEVICES", "2,3"}, {"HIP_VISIBLE_DEVICES", "2"}}),
            0U);
}

}  // namespace
}  // namespace muster::resources
