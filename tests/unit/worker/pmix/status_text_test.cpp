// The pure parts: ranks as text, Slurm's layout variables, which rank to ask.
#include "worker/pmix/layout.hpp"
#include "worker/pmix/missing.hpp"
#include "worker/pmix/ranges.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::worker::pmix {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string words(std::vector<RankAndNode> ranks) {
  return ranks_in_words(ranks);
}

TEST(PmixRanks, are_told_by_node_and_in_ranges) {
  EXPECT_EQ(words({{5, "node2"}}), "rank 5 (node2)");
  EXPECT_EQ(words({{5, "node2"}, {10, "node3"}, {8, "node3"}, {9, "node3"}}),
            "rank 5 (node2), ranks 8-10 (node3)");
  EXPECT_EQ(words({{0, "a"}, {3, "a"}, {6, "a"}, {7, "a"}}), "ranks 0,3,6-7 (a)");
  EXPECT_EQ(words({{4, ""}}), "rank 4");
}

TEST(PmixRanks, are_told_in_bounded_length) {
  std::vector<RankAndNode> all;
  for (int rank = 0; rank < 5000; ++rank) all.push_back({rank, "node" + std::to_string(rank / 4)});
  const auto text = words(all);
  EXPECT_LT(text.size(), 450U);
  EXPECT_THAT(text, ::testing::EndsWith(" more"));
  std::vector<RankAndNode> holes;
  for (int rank = 0; rank < 5000; rank += 2) holes.push_back({rank, "node1"});
  EXPECT_EQ(words(holes), "ranks 0,2,4,6,8,10,12,14,... (node1)");
}

TEST(PmixLayout, reads_slurms_tasks_per_node) {
  EXPECT_THAT(tasks_per_node("3,2(x2)", 3), ElementsAre(3, 2, 2));
  EXPECT_THAT(tasks_per_node("4", 1), ElementsAre(4));
  for (const char* bad : {"", "x", "3,", "2(x", "2(x3", "2(3)", "2(x999999999)", "-1", "3;2"}) {
    EXPECT_THAT(tasks_per_node(bad, 100), IsEmpty()) << bad;
  }
  EXPECT_THAT(tasks_per_node("2(x101)", 100), IsEmpty());
}

Local cyclic_on_second() {
  return {.nspace = "n",
          .procid = 4,
          .size = 8,
          .nodes = 3,
          .ranks = {1, 4, 7},
          .node = "b",
          .node_list = "a,b,c"};
}

Environment slurm(Environment::Map more = {}) {
  Environment::Map map{{"SLURM_NODEID", "1"}, {"SLURM_STEP_TASKS_PER_NODE", "3(x2),2"}};
  for (auto& [name, value] : more) map.insert_or_assign(name, value);
  return Environment{map};
}

TEST(PmixLayout, finds_its_place_from_slurms_variables) {
  const auto position = position_from_environment(slurm(), cyclic_on_second());
  ASSERT_TRUE(position);
  EXPECT_EQ(position->node_rank, 1);
  EXPECT_EQ(position->contiguous_rank, 4);
}

TEST(PmixLayout, does_not_believe_variables_that_do_not_fit_what_pmix_says) {
  const auto none = [](const Environment::Map& more) {
    return !position_from_environment(slurm(more), cyclic_on_second());
  };
  EXPECT_TRUE(none({{"SLURM_STEP_TASKS_PER_NODE", "3(x2)"}}));    // a different number of nodes
  EXPECT_TRUE(none({{"SLURM_STEP_TASKS_PER_NODE", "3,2,3"}}));    // a different number on this one
  EXPECT_TRUE(none({{"SLURM_STEP_TASKS_PER_NODE", "3(x2),3"}}));  // a different sum
  EXPECT_TRUE(none({{"SLURM_NODEID", "0"}}));                     // which has rank 0
  EXPECT_TRUE(none({{"SLURM_NODEID", "3"}}));
  EXPECT_TRUE(none({{"SLURM_NODEID", ""}}));
  EXPECT_TRUE(none({{"SLURM_DISTRIBUTION", "arbitrary"}}));
  EXPECT_TRUE(none({{"SLURM_HOSTFILE", "hosts"}}));
}

TEST(PmixLayout, counts_node_by_node_when_asked_or_when_the_launcher_did_in_this_step) {
  const Environment launcher{{{"MUSTER_NUMBERING", "contiguous"},
                              {"MUSTER_STEP", "7.1"},
                              {"SLURM_JOB_ID", "7"},
                              {"SLURM_STEP_ID", "1"}}};
  const Environment inherited{{{"MUSTER_NUMBERING", "contiguous"},
                               {"MUSTER_STEP", "7.1"},
                               {"SLURM_JOB_ID", "7"},
                               {"SLURM_STEP_ID", "2"}}};
  EXPECT_TRUE(wants_contiguous(launcher, MUSTER_RANKS_AUTO));
  EXPECT_FALSE(wants_contiguous(inherited, MUSTER_RANKS_AUTO));
  EXPECT_FALSE(wants_contiguous({}, MUSTER_RANKS_AUTO));
  EXPECT_FALSE(wants_contiguous(launcher, MUSTER_RANKS_SLURM));
  EXPECT_TRUE(wants_contiguous({}, MUSTER_RANKS_CONTIGUOUS));
}

TEST(PmixSearch, asks_about_everybody_in_a_small_step) {
  std::vector<int> all(12);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(to_ask({1, 4, 7, 10}, 12), all);
  EXPECT_EQ(to_ask({0}, 1), std::vector<int>{0});
}

TEST(PmixSearch, asks_about_a_bounded_number_in_a_large_one_its_own_node_among_them) {
  const auto ranks = to_ask({9996, 9998}, 10'000);
  EXPECT_EQ(ranks.size(), 512U);
  EXPECT_TRUE(std::binary_search(ranks.begin(), ranks.end(), 9996));
  EXPECT_TRUE(std::binary_search(ranks.begin(), ranks.end(), 9998));
  EXPECT_TRUE(std::binary_search(ranks.begin(), ranks.end(), 9999));
  EXPECT_TRUE(std::binary_search(ranks.begin(), ranks.end(), 0));  // it follows the last
  EXPECT_FALSE(std::binary_search(ranks.begin(), ranks.end(), 5000));
}

// The ranks of a missing rank's own node and of a node before it ask about it.
TEST(PmixSearch, leaves_no_rank_out) {
  constexpr int size = 4096;
  std::vector<int> asked(size);
  for (int node = 0; node < size / 8; ++node) {
    std::vector<int> local(8);
    std::iota(local.begin(), local.end(), node * 8);
    for (const int rank : to_ask(local, size)) ++asked[static_cast<std::size_t>(rank)];
  }
  EXPECT_GE(*std::min_element(asked.begin(), asked.end()), 2);
}

}  // namespace
}  // namespace muster::worker::pmix
