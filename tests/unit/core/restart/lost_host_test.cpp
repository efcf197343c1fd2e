#include "core/restart/lost_host.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

const LostHostRules rules{.host = "node1"};

HostlessJob job() {
  return {.job = {.state = "RUNNING", .may_requeue = true, .batch_host = "node1"},
          .host_lost = true,
          .steps = {"42.batch", "42.0"}};
}

TEST(LostHost, IsRequeuedAsSlurmWould) {
  EXPECT_EQ(decide_lost_host(rules, job(), job()), LostHost::requeue);
}

TEST(LostHost, IsCancelledWhereSlurmPermitsNoRequeue) {
  auto now = job();
  now.job.may_requeue = false;
  EXPECT_EQ(decide_lost_host(rules, job(), now), LostHost::cancel);
}

TEST(LostHost, IsRequeuedNoMoreOftenThanItsUserWants) {
  auto limited = rules;
  limited.requeue = 0;
  EXPECT_EQ(decide_lost_host(limited, job(), job()), LostHost::cancel);
  limited.requeue = 2;
  limited.requeues_before = 1;
  auto now = job();
  now.job.requeues = 1;
  EXPECT_EQ(decide_lost_host(limited, now, now), LostHost::requeue);
  limited.requeues_before = 2;
  now.job.requeues = 2;
  EXPECT_EQ(decide_lost_host(limited, now, now), LostHost::cancel);
}

TEST(LostHost, IsWaitedForWhileSlurmStillSeesIt) {
  auto now = job();
  now.host_lost = false;
  EXPECT_EQ(decide_lost_host(rules, job(), now), LostHost::wait);
}

TEST(LostHost, IsNobodysBusinessWhereTheJobEndsAlready) {
  for (const auto* const state : {"COMPLETING", "PENDING", "CANCELLED", "SUSPENDED", ""}) {
    auto now = job();
    now.job.state = state;
    EXPECT_EQ(decide_lost_host(rules, job(), now), LostHost::leave) << state;
  }
}

TEST(LostHost, IsOfThisRunOfTheJobAlone) {
  auto now = job();
  now.job.requeues = 1;
  EXPECT_EQ(decide_lost_host(rules, now, now), LostHost::leave);
  now = job();
  now.job.batch_host = "node2";
  EXPECT_EQ(decide_lost_host(rules, job(), now), LostHost::leave);
}

TEST(LostHost, IsNotLostToASupervisorThatBeginsAnotherStep) {
  auto now = job();
  now.steps.insert("42.1");
  EXPECT_EQ(decide_lost_host(rules, job(), now), LostHost::leave);
  now = job();
  now.steps.erase("42.0");
  EXPECT_EQ(decide_lost_host(rules, job(), now), LostHost::requeue);
}

TEST(LostHost, IsLeftToASuccessorUntilItIsLate) {
  auto now = job();
  now.successor = 1;
  EXPECT_EQ(decide_lost_host(rules, job(), now), LostHost::succeed);
  EXPECT_EQ(decide_lost_host(rules, job(), now, Successor::late), LostHost::requeue);
  now.job.may_requeue = false;
  EXPECT_EQ(decide_lost_host(rules, job(), now, Successor::late), LostHost::cancel);
  now.host_lost = false;
  EXPECT_EQ(decide_lost_host(rules, job(), now), LostHost::wait);
}

TEST(LostHost, OfASuccessorIsNotTheBatchHost) {
  const LostHostRules of_successor{.host = "node3", .step = "42.1"};
  EXPECT_EQ(decide_lost_host(of_successor, job(), job()), LostHost::requeue);
  const LostHostRules of_script{.host = "node3"};
  EXPECT_EQ(decide_lost_host(of_script, job(), job()), LostHost::leave);
}

TEST(LostHost, HasTwentyNodesFromAllOverAStepLookAfterTheJob) {
  for (const auto nodes : {1U, 3U, 20U, 21U, 512U, 16384U}) {
    std::vector<std::uint32_t> places;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (const auto place = place_of(node, nodes)) places.push_back(*place);
    }
    EXPECT_GE(places.size(), std::min(nodes, max_searchers / 2)) << nodes;
    EXPECT_LE(places.size(), max_searchers) << nodes;
    for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(places[i], i);
  }
  EXPECT_EQ(place_of(2, 3), 2U);
  EXPECT_FALSE(place_of(1, 512));
  EXPECT_EQ(place_of(26 * 19, 512), 19U);
}

}  // namespace
}  // namespace muster::restart
