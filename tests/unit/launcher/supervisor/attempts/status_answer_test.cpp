#include "launcher/supervisor/attempts/status_answer.hpp"

#include <gtest/gtest.h>

namespace muster::attempts {
namespace {

using report::Moment;
using report::NodeState;
using std::chrono::milliseconds;
using std::chrono::seconds;

report::NodeRecord record(const char* name, NodeState state, bool started) {
  report::NodeRecord node{.name = name,
                          .state = state,
                          .tasks = 4,
                          .started = {},
                          .last_word = Moment{.time = seconds(9), .error = {}},
                          .stuck_ranks = {},
                          .remark = {}};
  if (started) node.started = Moment{.time = seconds(1), .error = {}};
  return node;
}

status::Step shown(const watch::Observations& seen) {
  return status_of({.name = "42", .host = "login", .nodes = {}}, seen, {}, seconds(10));
}

TEST(StatusAnswerTest, ANodesRanksAreUpFromItsStartToTheirEnds) {
  const watch::Observations seen{.step = "42.1",
                                 .ranks = 12,
                                 .nodes = {record("node1", NodeState::watched, true),
                                           record("node2", NodeState::watched, false),
                                           record("node3", NodeState::watched, true)},
                                 .ends = {report::RankEnd()},
                                 .node_of = {2}};
  const auto step = shown(seen);
  EXPECT_EQ(step.name, "42.1");
  EXPECT_EQ(step.ranks_up, 7U);
  EXPECT_EQ(step.nodes.at(0).ranks_up, 4U);
  EXPECT_EQ(step.nodes.at(0).state, "running");
  EXPECT_EQ(step.nodes.at(0).silence, milliseconds(1000));
  EXPECT_EQ(step.nodes.at(1).ranks_up, 0U);
  EXPECT_EQ(step.nodes.at(1).state, "starting");
  EXPECT_EQ(step.nodes.at(2).ranks_up, 3U);
}

TEST(StatusAnswerTest, ALostNodeHasNoRanksUp) {
  const watch::Observations seen{
      .step = "42.1",
      .ranks = 8,
      .nodes = {record("node1", NodeState::lost, true), record("node2", NodeState::done, true)},
      .ends = {},
      .node_of = {}};
  const auto step = shown(seen);
  EXPECT_EQ(step.ranks_up, 0U);
  EXPECT_EQ(step.nodes.at(0).state, "lost");
  EXPECT_EQ(step.nodes.at(1).state, "done");
}

TEST(StatusAnswerTest, BeforeANodeHasSaidSoTheStepIsTheJobs) {
  const auto step = shown({});
  EXPECT_EQ(step.name, "42");
  EXPECT_EQ(step.ranks, 0U);
}

}  // namespace
}  // namespace muster::attempts
