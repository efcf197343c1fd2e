#include "launcher/agent/ranks/process_tree.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace muster::ranks {
namespace {

constexpr pid_t slurmstepd = 100;
constexpr pid_t agent = 110;
constexpr pid_t rank = 200;
constexpr std::uint64_t rank_start = 5000;

class Node {
 public:
  Node() {
    add({.pid = 1, .parent = 0});
    add({.pid = slurmstepd, .parent = 1, .session = slurmstepd});
    add({.pid = agent, .parent = 1, .session = agent});
    add({.pid = rank,
         .parent = slurmstepd,
         .group = rank,
         .session = slurmstepd,
         .start_time = rank_start});
  }

  TableEntry& add(ProcessStat stat) {
    if (stat.start_time == 0) stat.start_time = stat.pid > rank ? rank_start + 10 : 10;
    return table_.emplace_back(TableEntry{.stat = stat});
  }

  [[nodiscard]] std::vector<pid_t> below(std::uint64_t start = rank_start) const {
    std::vector<pid_t> pids;
    for (const auto& stat :
         processes_below({{rank, start}}, table_, {.pids = {slurmstepd, agent}, .session = agent}))
      pids.push_back(stat.pid);
    return pids;
  }

 private:
  std::vector<TableEntry> table_;
};

using Pids = std::vector<pid_t>;

TEST(ProcessTree, HoldsWhatARankHasStartedAndWhatThatHasStarted) {
  Node node;
  node.add({.pid = 300, .parent = rank, .session = 300});
  node.add({.pid = 301, .parent = 300, .session = 301});
  node.add({.pid = 400, .parent = 1});
  EXPECT_EQ(node.below(), (Pids{300, 301}));
}

// hidepid=: the rank is not in the table.
TEST(ProcessTree, HoldsTheChildrenOfARankThatProcHides) {
  const std::vector<TableEntry> table{
      {.stat = {.pid = 300, .parent = rank, .session = 300, .start_time = rank_start + 10}},
      {.stat =
           {.pid = 301, .parent = 1, .group = rank, .session = 1, .start_time = rank_start + 10}},
      {.stat = {.pid = 302, .parent = 1, .group = rank, .session = 1, .start_time = 10}}};
  const auto below = processes_below({{rank, rank_start - 100, false}}, table, {});
  ASSERT_EQ(below.size(), 2U);
  EXPECT_EQ((Pids{below[0].pid, below[1].pid}), (Pids{300, 301}));
}

TEST(ProcessTree, KnowsARankThatProcShowsByNow) {
  const std::vector<TableEntry> table{
      {.stat = {.pid = rank, .parent = slurmstepd, .session = rank, .start_time = rank_start}},
      {.stat = {.pid = 300, .parent = 1, .session = rank, .start_time = rank_start + 10}}};
  const auto below = processes_below({{rank, rank_start - 100, false}}, table, {});
  ASSERT_EQ(below.size(), 1U);
  EXPECT_EQ(below[0].pid, 300);
}

TEST(ProcessTree, HoldsOrphansInARanksGroupOrSession) {
  Node node;
  node.add({.pid = 300, .parent = 1, .group = rank, .session = slurmstepd});
  node.add({.pid = 301, .parent = 1, .group = 301, .session = rank});
  node.add({.pid = 302, .parent = 1, .group = 302, .session = slurmstepd});
  EXPECT_EQ(node.below(), (Pids{300, 301}));
}

TEST(ProcessTree, HoldsOrphansWhoseEnvironmentOrControlGroupIsARanks) {
  Node node;
  node.add({.pid = 300, .parent = 1, .session = 300}).environment = Mark::rank;
  node.add({.pid = 301, .parent = 1, .session = 301}).in_ranks_group = true;
  node.add({.pid = 302, .parent = 1, .session = 302}).environment = Mark::another;
  node.add({.pid = 303, .parent = 300, .session = 303});
  EXPECT_EQ(node.below(), (Pids{300, 301, 303}));
}

TEST(ProcessTree, LeavesAnotherTasksProcessInAGroupOfTheSameNumber) {
  Node node;
  node.add({.pid = 300, .parent = 1, .group = rank}).environment = Mark::another;
  EXPECT_EQ(node.below(), Pids{});
}

TEST(ProcessTree, LeavesWhatWasThereBeforeTheRanks) {
  Node node;
  node.add({.pid = 300, .parent = 1, .group = rank, .start_time = rank_start - 1});
  EXPECT_EQ(node.below(), Pids{});
}

TEST(ProcessTree, LeavesAProcessThatHasOnlyTheIdOfARank) {
  Node node;
  node.add({.pid = 300, .parent = rank});
  EXPECT_EQ(node.below(rank_start - 1000), Pids{});
}

// A task that starts an srun: the inner step's slurmstepd is not its child.
TEST(ProcessTree, LeavesSlurmstepdTheAgentAndItsChildren) {
  Node node;
  node.add({.pid = 300, .parent = slurmstepd, .session = slurmstepd});  // a task's epilog
  node.add({.pid = 301, .parent = agent, .session = agent});
  node.add({.pid = 302, .parent = rank, .session = agent});
  EXPECT_EQ(node.below(), Pids{});
}

TEST(ProcessTree, EndsWhereParentsFormACircle) {
  Node node;
  node.add({.pid = 300, .parent = 301, .group = rank});
  node.add({.pid = 301, .parent = 300});
  EXPECT_EQ(node.below(), (Pids{300, 301}));
}

TEST(ProcessesByRank, AreTheRankAndWhatItHasStarted) {
  const std::vector<ProcessStat> below{{.pid = 300, .parent = 200},
                                       {.pid = 301, .parent = 300},
                                       {.pid = 302, .parent = 202},
                                       {.pid = 303, .parent = 1}};
  const auto processes = processes_by_rank({200, 201, 0}, below);
  ASSERT_EQ(processes.size(), 3U);
  EXPECT_EQ(processes[0], (Pids{200, 300, 301, 302, 303}));
  EXPECT_EQ(processes[1], (Pids{201, 302, 303}));
  EXPECT_EQ(processes[2], Pids{});
  EXPECT_EQ(processes_by_rank({200, 201, 202}, below)[2], (Pids{202, 302, 303}));
}

TEST(ProcessesByRank, EndWhereParentsAreInACircle) {
  const std::vector<ProcessStat> below{{.pid = 300, .parent = 301}, {.pid = 301, .parent = 300}};
  EXPECT_EQ(processes_by_rank({200}, below)[0], (Pids{200, 300, 301}));
}

}  // namespace
}  // namespace muster::ranks
