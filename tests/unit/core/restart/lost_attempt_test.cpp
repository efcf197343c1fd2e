#include "core/restart/lost_attempt.hpp"

#include "core/report/report.hpp"
#include "core/restart/attempt_history.hpp"
#include "core/restart/decision.hpp"

#include <array>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

Handover inherited() {
  Handover made;
  made.host = "node1";
  made.nodes = {"node1", "node2"};
  made.tasks_per_node = 2;
  made.silence = std::chrono::seconds(5);
  return made;
}

TEST(LostAttempt, HasFailedByTheLossOfItsSupervisorsNode) {
  const auto record = lost_attempt(inherited(), 3, {"node1", "node2", "node3"});
  const auto report = report::make_report(record, {});
  EXPECT_EQ(report.result, report::Result::failed);
  EXPECT_EQ(report.cause, report::Cause::node);
  ASSERT_EQ(report.lost_nodes.size(), 1U);
  EXPECT_EQ(report.lost_nodes.front().node, "node1");
  const std::array past{history_of(report, std::nullopt)};
  EXPECT_TRUE(decide({.restarts = 1}, past, report).again);
}

TEST(LostAttempt, CostsARestart) {
  const auto report = report::make_report(lost_attempt(inherited(), 1, {}), {});
  const auto past = history_of(report, std::nullopt);
  const std::array all{past, past};
  EXPECT_FALSE(decide({.restarts = 1}, all, report).again);
}

TEST(LostAttempt, HasTheNodeOfTheSupervisorThoughNoRankRanThere) {
  auto made = inherited();
  made.nodes = {"node2", "node3"};
  const auto record = lost_attempt(made, 0, {});
  ASSERT_EQ(record.nodes.size(), 3U);
  EXPECT_EQ(record.nodes.back().name, "node1");
  EXPECT_EQ(record.nodes.back().state, report::NodeState::lost);
  EXPECT_EQ(report::make_report(record, {}).cause, report::Cause::node);
}

TEST(LostAttempt, MayHaveBeenOnAnyNodeBeforeItsAgentsCame) {
  auto made = inherited();
  made.nodes.clear();
  EXPECT_EQ(lost_attempt(made, 0, {"node1", "node2"}).nodes.size(), 2U);
}

}  // namespace
}  // namespace muster::restart
