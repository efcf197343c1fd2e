#include "worker/nccl/roots.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::worker::nccl {
namespace {

// The rule from NCCL's manual: consecutive ranks, with one more for each of the first N mod R roots.
std::vector<int> sizes_of(int size, int roots) {
  std::vector<int> sizes(static_cast<std::size_t>(roots), size / roots);
  for (int root = 0; root < size % roots; ++root) ++sizes[static_cast<std::size_t>(root)];
  return sizes;
}

TEST(Roots, ShareSevenRanksByThreeAsNcclsManualDoes) {
  const Roots roots{7, 3};
  const std::vector<int> expected{0, 0, 0, 1, 1, 2, 2};
  for (int rank = 0; rank < 7; ++rank) {
    EXPECT_EQ(roots.root_of(rank), expected[static_cast<std::size_t>(rank)]) << rank;
  }
  EXPECT_EQ(roots.first_rank(0), 0);
  EXPECT_EQ(roots.first_rank(1), 3);
  EXPECT_EQ(roots.first_rank(2), 5);
}

TEST(Roots, FollowTheRuleForEverySizeAndCount) {
  for (int size = 1; size <= 70; ++size) {
    for (int count = 1; count <= size; ++count) {
      const Roots roots{size, count};
      int rank = 0;
      int root = 0;
      for (const int ranks : sizes_of(size, count)) {
        ASSERT_EQ(roots.first_rank(root), rank) << size << " ranks, " << count << " roots";
        ASSERT_EQ(roots.ranks(root), ranks);
        for (int i = 0; i < ranks; ++i, ++rank) {
          ASSERT_EQ(roots.root_of(rank), root) << size << " ranks, " << count << " roots";
          ASSERT_EQ(roots.is_first(rank), i == 0);
        }
        ++root;
      }
      ASSERT_EQ(rank, size);
    }
  }
}

TEST(Roots, AreOneForEach128RanksBegun) {
  EXPECT_EQ(Roots::for_each(1, standard_ranks_per_root).count(), 1);
  EXPECT_EQ(Roots::for_each(128, standard_ranks_per_root).count(), 1);
  EXPECT_EQ(Roots::for_each(129, standard_ranks_per_root).count(), 2);
  EXPECT_EQ(Roots::for_each(102'400, standard_ranks_per_root).count(), 800);
  EXPECT_EQ(Roots::for_each(5, 1).count(), 5);
}

TEST(Roots, StandTheLargestStep) {
  constexpr int most = 1 << 24;
  EXPECT_EQ(Roots::for_each(most, most).count(), 1);
  const Roots every{most, most};
  EXPECT_EQ(every.root_of(most - 1), most - 1);
  const Roots two{most - 1, 2};
  EXPECT_EQ(two.root_of(most - 2), 1);
  EXPECT_EQ(two.first_rank(1), most / 2);
}

}  // namespace
}  // namespace muster::worker::nccl
