#include "core/restart/succession.hpp"

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using std::chrono::milliseconds;

HostlessJob job() {
  return {.job = {.state = "RUNNING", .may_requeue = true, .batch_host = "node1"},
          .host_lost = false,
          .steps = {"42.batch", "42.0", "42.1"},
          .successor = 1};
}

TEST(Succession, NamesAStepByTheGenerationThatWaitsInIt) {
  EXPECT_EQ(successor_generation(successor_name(7)), 7U);
  for (const auto* const name :
       {"", "train", "muster-successor-", "muster-successor-x", "muster-successor-1x"}) {
    EXPECT_FALSE(successor_generation(name)) << name;
  }
}

// A cut at time 0: the last beat came at most an interval earlier, the last answer no later.
TEST(Succession, BeginsOnlyWhenTheLostSupervisorHasEndedItsRanks) {
  for (const milliseconds heartbeat :
       {milliseconds(1000), milliseconds(3000), milliseconds(30000)}) {
    const auto ranks_end = lease_time(heartbeat);
    const auto begins = takeover_time(heartbeat) - beat_interval(heartbeat);
    EXPECT_GT(begins, ranks_end);
  }
}

TEST(Succession, BeginsBeforeTheAgentsGiveTheJobUp) {
  // The agents' search begins when they start to doubt, and gives a successor 32 s.
  const milliseconds heartbeat = max_heartbeat_with_successor;
  EXPECT_LT(takeover_time(heartbeat),
            heartbeat * 2 / 3 + milliseconds(32000) - beat_interval(heartbeat) / 2);
}

TEST(Succession, IsNoneWhereSlurmStillSeesTheSupervisorsHost) {
  EXPECT_EQ(right_to_supervise(0, job()), Right::holds);
}

TEST(Succession, IsUncertainWhereSlurmHasLostTheSupervisorsHost) {
  auto now = job();
  now.host_lost = true;
  EXPECT_EQ(right_to_supervise(0, now), Right::unknown);
}

TEST(Succession, HasHappenedWhereASuccessorHasASuccessor) {
  auto now = job();
  now.successor = 2;
  EXPECT_EQ(right_to_supervise(0, now), Right::lost);
  EXPECT_EQ(right_to_supervise(1, now), Right::holds);
  now.host_lost = true;
  EXPECT_EQ(right_to_supervise(0, now), Right::lost);
}

TEST(Succession, IsOfNoUseInAJobThatHasEnded) {
  auto now = job();
  now.job.state = "COMPLETING";
  EXPECT_EQ(right_to_supervise(0, now), Right::lost);
}

TEST(SuccessionObstacle, NamesWhatIsMissing) {
  const SuccessionFacts possible{
      .restarts = 1, .host = "node1", .allocated = 2, .heartbeat = std::chrono::seconds(30)};
  EXPECT_EQ(succession_obstacle(possible), "");
  auto facts = possible;
  facts.restarts = 0;
  EXPECT_EQ(succession_obstacle(facts), "without restarts=N, there are no further attempts");
  facts = possible;
  facts.host.clear();
  EXPECT_EQ(
      succession_obstacle(facts),
      "the run was not started from a batch script, so its supervisor does not run on a node of the job");
  facts = possible;
  facts.allocated = 1;
  EXPECT_EQ(succession_obstacle(facts), "the job has no other node");
  facts = possible;
  facts.heartbeat = std::chrono::seconds(31);
  EXPECT_EQ(succession_obstacle(facts), "heartbeat= must be at most 30 s");
  facts = possible;
  facts.step_manager = "node1";
  EXPECT_EQ(succession_obstacle(facts),
            "node1 manages the job's steps (enable_stepmgr), and without it no step can start on "
            "another node; use requeue=N");
}

TEST(NodeForSuccessor, IsASpareOrTheLastNodeThatTheJobStillHas) {
  const std::vector<std::string> job{"node1", "node2", "node3", "node4"};
  const std::vector<std::string> ranks{"node1", "node2", "node3"};
  EXPECT_EQ(node_for_successor({.spares = {"node4"}, .nodes = ranks, .job_nodes = job}, "node1"),
            "node4");
  EXPECT_EQ(node_for_successor({.nodes = ranks, .job_nodes = job}, "node1"), "node3");
  EXPECT_EQ(node_for_successor({.nodes = ranks, .job_nodes = {"node1", "node2"}}, "node1"),
            "node2");
  EXPECT_EQ(node_for_successor({.job_nodes = job}, "node1"), "node4");
  EXPECT_EQ(node_for_successor({.nodes = ranks}, "node1"), "node3");
  EXPECT_EQ(node_for_successor({.nodes = {"node1"}, .job_nodes = {"node1"}}, "node1"), "");
}

}  // namespace
}  // namespace muster::restart
