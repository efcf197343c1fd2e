#include "worker/tcp/missing.hpp"

#include <gtest/gtest.h>

namespace muster::worker::tcp {
namespace {

TEST(TcpMissing, NamesRanksAndTheirNodes) {
  EXPECT_EQ(list_ranks({{4, "", false}}), "rank 4");
  EXPECT_EQ(list_ranks({{3, "n2", true}, {5, "n3", true}, {6, "n3", true}, {7, "n3", true}}),
            "ranks 3, 5-7 (n2, n3)");
}

TEST(TcpMissing, TellsThoseThatNeverCameFromThoseThatAreElsewhere) {
  EXPECT_EQ(absence({{1, "", false}, {2, "n1", true}, {3, "", false}}),
            "ranks 1, 3 never connected; rank 2 (n1) is connected but not in this call");
  EXPECT_EQ(absence({{5, "", false}}), "rank 5 never connected");
  EXPECT_EQ(absence({{4, "n1", true}, {5, "n1", true}}),
            "ranks 4-5 (n1) are connected but not in this call");
}

TEST(TcpMissing, StaysALineForAnyNumber) {
  std::vector<AbsentRank> every_other;
  for (int rank = 0; rank < 1000; rank += 2) {
    every_other.push_back({rank, "node" + std::to_string(rank), false});
  }
  EXPECT_EQ(list_ranks(every_other),
            "ranks 0, 2, 4, 6, 8, 10, 12, 14 and 492 more (node0, node2, node4, node6, node8, "
            "node10, node12, node14 and 492 more)");
}

}  // namespace
}  // namespace muster::worker::tcp
