#include "core/at_store.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

std::string text(std::uint32_t ranks, const std::vector<NodeAtStore>& nodes) {
  return at_store_text(nodes, ranks, 68);
}

TEST(AtStoreTest, NamesTheRanksThatAreMissing) {
  EXPECT_EQ(text(6, {{"node1", {{3, {}}}}, {"node2", {{2, {3}}}}}),
            "5 of 6 ranks; missing: rank 3 on node2");
  EXPECT_EQ(text(8, {{"node1", {{3, {1}}}}, {"node2", {{1, {4, 5, 6}}}}}),
            "4 of 8 ranks; missing: rank 1 on node1, rank 4 on node2, ...");
}

TEST(AtStoreTest, TellsThatANodeHasNotNamedAllOfThem) {
  EXPECT_EQ(
      at_store_text(std::vector<NodeAtStore>{{"node1", {{3, {}}}},
                                             {"node2", {{1, {3, 4, 5, 6, 7, 8, 9, 10}}}}},
                    99, 999),
      "4 of 99 ranks; missing: rank 3 on node2, rank 4 on node2, rank 5 on node2, rank 6 on node2, "
      "rank 7 on node2, rank 8 on node2, rank 9 on node2, rank 10 on node2, ...");
}

TEST(AtStoreTest, SaysNothingIfAllAreThereOrNobody) {
  EXPECT_EQ(text(4, {{"node1", {{2, {}}}}, {"node2", {{2, {}}}}}), "");
  EXPECT_EQ(text(4, {{"node1", {{0, {0, 1}}}}, {"node2", {{0, {2, 3}}}}}), "");
}

TEST(AtStoreTest, SaysNothingIfANodeHasNotTold) {
  EXPECT_EQ(text(4, {{"node1", {{1, {1}}}}, {"node2", {}}}), "");
}

}  // namespace
}  // namespace muster
