#include "core/page/rank_states.hpp"

#include "fixtures/made_up_run.hpp"

#include <gtest/gtest.h>

namespace muster::page {
namespace {

using fixtures::made_up_run;

RankState state_of(const Run& run, std::uint32_t rank) {
  for (const auto& node : ranks_by_node(run)) {
    for (const auto& each : node.ranks) {
      if (each.rank == rank) return each.state;
    }
  }
  ADD_FAILURE() << "no rank " << rank;
  return RankState::unknown;
}

report::Report& report_of(Run& run) {
  return run.folders.back().report->report;
}

TEST(RankStates, AreWhatTheReportSaysOfARank) {
  const auto run = made_up_run();
  EXPECT_EQ(state_of(run, 3), RankState::first);
  EXPECT_EQ(state_of(run, 2), RankState::failed);
  EXPECT_EQ(state_of(run, 0), RankState::ended_by_muster);
}

TEST(RankStates, OfRanksThatNobodyNamesFollowTheirNode) {
  auto run = made_up_run();
  report_of(run).victims.clear();
  EXPECT_EQ(state_of(run, 0), RankState::well);
  report_of(run).nodes[0].state = report::NodeState::lost;
  EXPECT_EQ(state_of(run, 0), RankState::lost);
  report_of(run).nodes[0].state = report::NodeState::silent;
  EXPECT_EQ(state_of(run, 0), RankState::unknown);
  report_of(run).nodes[0].stuck_ranks = {1};
  EXPECT_EQ(state_of(run, 1), RankState::stuck);
}

TEST(RankStates, OfARunThatGoesOnAreRunning) {
  auto run = made_up_run();
  run.folders.back().report.reset();
  EXPECT_EQ(state_of(run, 3), RankState::running);
  EXPECT_EQ(counts_of(ranks_by_node(run)).at(RankState::running), 4U);
}

TEST(RankStates, AreThoseOfTheFilesWhereThereIsNoPlan) {
  auto run = made_up_run();
  run.folders.back().plan.reset();
  EXPECT_EQ(ranks_by_node(run).size(), 1U);
  EXPECT_EQ(state_of(run, 3), RankState::first);
}

}  // namespace
}  // namespace muster::page
