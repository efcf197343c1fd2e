#include "core/resources/fabric_names.hpp"

#include "core/topology/topology.hpp"

#include <gtest/gtest.h>

namespace muster::resources {
namespace {

topology::Topology node_with(std::vector<topology::Nic> nics) {
  topology::Topology node;
  node.nics = std::move(nics);
  return node;
}

TEST(FabricNames, AreTheWholeNodesForNcclAndTheNearestPortsForUcx) {
  const auto node = node_with({{.name = "mlx5_0", .rdma = true, .ports = {1}},
                               {.name = "mlx5_1", .rdma = true, .ports = {1, 2}},
                               {.name = "mlx5_2", .rdma = true}});
  EXPECT_EQ(fabric_names(node, {0, 1, 2}, {2, 1}),
            (FabricNames{"=mlx5_0,mlx5_1,mlx5_2", "mlx5_2:1,mlx5_1:1,mlx5_1:2", ""}));
}

TEST(FabricNames, OfSlingshotAreLibfabrics) {
  const auto node = node_with({{.name = "cxi0", .rdma = true, .api = topology::NicApi::cxi},
                               {.name = "cxi1", .rdma = true, .api = topology::NicApi::cxi}});
  EXPECT_EQ(fabric_names(node, {0, 1}, {1}), (FabricNames{"", "", "cxi0,cxi1"}));
}

// NCCL's EFA plugin finds its devices itself, and NCCL's own transport cannot use them.
TEST(FabricNames, HaveNothingForEfaOrForAnInterface) {
  const auto node = node_with({{.name = "rdmap16s27", .rdma = true, .api = topology::NicApi::efa},
                               {.name = "hsn0", .rdma = true, .api = topology::NicApi::cxi}});
  EXPECT_EQ(fabric_names(node, {0, 1}, {0}), FabricNames{});
}

TEST(FabricNames, AreEmptyWithoutNics) {
  EXPECT_EQ(fabric_names({}, {}, {}), FabricNames{});
}

}  // namespace
}  // namespace muster::resources
