#include "core/status/at_store.hpp"

#include <gtest/gtest.h>

namespace muster::status {
namespace {

Node node(const std::string& name, std::uint32_t there, std::vector<std::uint32_t> missing) {
  Node node;
  node.name = name;
  node.counts.emplace().store = AtStore{there, std::move(missing)};
  return node;
}

std::string text(std::uint32_t ranks, std::vector<Node> nodes) {
  Step step;
  step.ranks = step.ranks_up = ranks;
  step.nodes = std::move(nodes);
  return at_store_text(step, 68);
}

TEST(AtStoreTest, NamesTheRanksThatAreMissing) {
  EXPECT_EQ(text(6, {node("node1", 3, {}), node("node2", 2, {3})}),
            "5 of 6 ranks; missing: rank 3 on node2");
  EXPECT_EQ(text(8, {node("node1", 3, {1}), node("node2", 1, {4, 5, 6})}),
            "4 of 8 ranks; missing: rank 1 on node1, rank 4 on node2, ...");
  EXPECT_EQ(text(99, {node("node1", 3, {1}), node("node2", 1, {4})}),
            "4 of 99 ranks; missing: rank 1 on node1, rank 4 on node2, ...");
}

TEST(AtStoreTest, SaysNothingIfAllAreThereOrNobody) {
  EXPECT_EQ(text(4, {node("node1", 2, {}), node("node2", 2, {})}), "");
  EXPECT_EQ(text(4, {node("node1", 0, {0, 1}), node("node2", 0, {2, 3})}), "");
}

TEST(AtStoreTest, SaysNothingIfANodeHasNotTold) {
  Node silent;
  silent.name = "node2";
  EXPECT_EQ(text(4, {node("node1", 1, {1}), silent}), "");
}

}  // namespace
}  // namespace muster::status
