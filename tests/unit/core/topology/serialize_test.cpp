// The cache keeps the whole topology.
#include "core/topology/serialize.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/made_up_node.hpp"

#include <gtest/gtest.h>

namespace muster::topology {
namespace {

Topology full_node() {
  auto node = fixtures::made_up_node(
      {.packages = 2, .numa_per_package = 2, .l3_per_numa = 2, .cores_per_l3 = 2, .smt = 2});
  fixtures::add_gpu(node, {0, 1}, 0x07);
  fixtures::add_gpu(node, {}, 0x87);
  node.gpus[0].uuid = "GPU-1";
  node.gpus[1].partition = 3;
  node.gpu_links.push_back({0, 1, 50000});
  fixtures::add_nic(node, "mlx5_0", {8, 9}, 0x87);
  node.nics[0].networks = {"ib0", "ib1"};
  node.nics[0].up = true;
  node.nics[0].infiniband = false;
  node.nics[0].gigabits = 400;
  node.numa_nodes.push_back({.os_index = 7, .cpus = {}, .memory_only = true});
  node.cores.push_back({.pus = {90}, .package = {}, .numa = {}, .l3 = {}});
  return node;
}

TEST(StoredTopology, ReadsBackEverything) {
  const auto node = full_node();
  EXPECT_EQ(deserialize(serialize(node)), node);
}

TEST(StoredTopology, RefusesWhatItCannotHaveWritten) {
  EXPECT_THROW(deserialize(""), Error);
  EXPECT_THROW(deserialize("{}"), Error);
  EXPECT_THROW(deserialize("[1]"), Error);
  EXPECT_THROW(deserialize(std::string(100000, '[')), Error);
  auto text = serialize(full_node());
  EXPECT_THROW(deserialize(text.substr(0, text.size() / 2)), Error);
}

TEST(StoredTopology, RefusesPlacesThatDoNotExist) {
  auto node = full_node();
  node.cores[0].numa = 99;
  EXPECT_THROW(deserialize(serialize(node)), Error);
  node = full_node();
  node.gpu_links[0].b = 2;
  EXPECT_THROW(deserialize(serialize(node)), Error);
}

}  // namespace
}  // namespace muster::topology
