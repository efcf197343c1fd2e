#include "core/topology/gpu_names.hpp"

#include "core/error.hpp"
#include "fixtures/made_up_node.hpp"

#include <gtest/gtest.h>

namespace muster::topology {
namespace {

using Positions = std::vector<std::size_t>;

Topology four_gpus() {
  Topology node = fixtures::made_up_node({.cores_per_l3 = 4});
  for (std::uint8_t i = 0; i < 4; ++i)
    fixtures::add_gpu(node, node.pus, static_cast<std::uint8_t>(7 + i));
  node.gpus[2].uuid = "GPU-029490c8-a116";
  return node;
}

TEST(GpuNames, MayBeIndexesBusIdsAndUuidsInAnyOrder) {
  const Topology node = four_gpus();
  EXPECT_EQ(gpus_named(node, "0-3"), (Positions{0, 1, 2, 3}));
  EXPECT_EQ(gpus_named(node, "3,0-1"), (Positions{3, 0, 1}));
  EXPECT_EQ(gpus_named(node, "GPU-029490c8-a116,0008:02:00.0,3"), (Positions{2, 1, 3}));
  EXPECT_EQ(gpus_named(node, ""), Positions{});
}

TEST(GpuNames, OfABusIdMeanAllPartitionsBehindIt) {
  Topology node = four_gpus();
  for (unsigned i = 0; i < 4; ++i) {
    node.gpus[i].address = {0, 7, 0, 0};
    node.gpus[i].partition = i;
  }
  EXPECT_EQ(gpus_named(node, "0000:07:00.0"), (Positions{0, 1, 2, 3}));
}

TEST(GpuNames, ThatAreUnknownDoubleOrNoNamesAreRefused) {
  const Topology node = four_gpus();
  for (const char* bad : {"4", "2-9", "0,0", "0-2,1", "x", ",", "0,", "3-1", "0000:ff:00.0",
                          "0000:07", "GPU-none", "1,GPU-029490c8-a116,2"})
    EXPECT_THROW(gpus_named(node, bad), Error) << bad;
}

TEST(GpuNames, ThatTwoVendorsShareAreRefused) {
  Topology node = four_gpus();
  node.gpus[3].vendor = GpuVendor::amd;
  node.gpus[3].index = 0;
  EXPECT_THROW(gpus_named(node, "0"), Error);
  EXPECT_EQ(gpus_named(node, "1"), Positions{1});
}

}  // namespace
}  // namespace muster::topology
