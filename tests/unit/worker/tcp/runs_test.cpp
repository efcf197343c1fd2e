#include "worker/tcp/runs.hpp"

#include <gtest/gtest.h>

namespace muster::worker::tcp {
namespace {

TEST(TcpRuns, AreFewForAllRanks) {
  std::vector<int> all;
  for (int rank = 0; rank < 1000; ++rank) all.push_back(rank);
  EXPECT_EQ(to_runs(all), (Runs{{0, 1000}}));
}

TEST(TcpRuns, HaveEveryRankOnceInOrder) {
  const auto runs = to_runs(std::vector<int>{9, 3, 4, 9, 7, 3});
  EXPECT_EQ(runs, (Runs{{3, 2}, {7, 1}, {9, 1}}));
  EXPECT_EQ(ranks_in(runs), 4U);
  EXPECT_EQ(place_in(runs, 3), 0U);
  EXPECT_EQ(place_in(runs, 4), 1U);
  EXPECT_EQ(place_in(runs, 7), 2U);
  EXPECT_EQ(place_in(runs, 9), 3U);
}

TEST(TcpRuns, AreNoneForNobody) {
  EXPECT_TRUE(to_runs({}).empty());
  EXPECT_EQ(ranks_in({}), 0U);
}

}  // namespace
}  // namespace muster::worker::tcp
