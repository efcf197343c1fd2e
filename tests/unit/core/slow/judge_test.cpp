// slow= on simulated runs: who is slow gets named in time, and nobody in hours of any healthy run.
#include "core/slow/judge.hpp"

#include "simulated_run.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace muster::slow {
namespace {

constexpr double hours = 3600;
constexpr double warm_up = 60;

// One rank computes longer by this part, and every rank's steps differ by up to 20 %.
Compute one_slow(double step, double slower, std::size_t slow_rank) {
  return [=](std::size_t rank, std::uint64_t /*step*/, std::mt19937& random) {
    return step * (between(1, 1.2, random) + (rank == slow_rank ? slower : 0));
  };
}

// How many of 100 runs name the right one, and it alone, within 60 s or 50 collectives of the end of the warm-up.
int named_right(const Shape& shape, double step, double slower, std::size_t slow_rank) {
  int right = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SimulatedRun run(shape, one_slow(step, slower, slow_rank), seed);
    const auto begin = std::max(warm_up, 20 * step * 1.2);
    const auto in_time = std::max(60.0, 51 * step * (1.2 + slower)) + shape.told_every;
    run.run(begin + in_time);
    const auto& named = run.tracker.named();
    right += named.size() == 1 && named[0].rank == slow_rank ? 1 : 0;
  }
  return right;
}

TEST(Slow, ARankThatIsATenthSlowerIsNamedInNoiseTwiceAsLarge) {
  EXPECT_GE(named_right({.nodes = 2}, 0.5, 0.1, 1), 99);
  EXPECT_GE(named_right({.nodes = 3}, 0.5, 0.1, 2), 99);
  EXPECT_GE(named_right({.nodes = 4}, 1, 0.1, 0), 99);
  EXPECT_GE(named_right({.nodes = 8}, 1, 0.1, 5), 99);
  EXPECT_GE(named_right({.nodes = 2, .ranks_of_node = 4}, 0.3, 0.1, 5), 99);
  EXPECT_GE(named_right({.nodes = 4, .buckets = 5}, 0.5, 0.1, 3), 99);
}

TEST(Slow, ASlowerStepNeedsFiftyCollectives) {
  EXPECT_GE(named_right({.nodes = 4}, 5, 0.15, 1), 99);
}

TEST(Slow, TheTimeThatIsLostIsTold) {
  SimulatedRun run(
      {.nodes = 4},
      [](auto rank, auto, auto& random) {
        return between(1, 1.02, random) + (rank == 2 ? 0.3 : 0);
      },
      1);
  ASSERT_TRUE(run.run(300));
  const auto& named = run.tracker.named().at(0);
  EXPECT_EQ(named.node, "n2");
  EXPECT_NEAR(named.last_percent, 100, 0.1);
  EXPECT_NEAR(std::chrono::duration<double>(named.delay).count(), 0.29, 0.02);
  EXPECT_NEAR(std::chrono::duration<double>(named.period).count(), 1.31, 0.02);
  EXPECT_NEAR(named.time_percent, 22, 2);
}

// Collectives for which nobody waits lose nothing by themselves.
TEST(Slow, ADelayThatAStepsCollectivesShareCountsOnce) {
  for (const double buckets : {2, 3, 10, 30}) {
    SimulatedRun run(
        {.nodes = 4, .buckets = buckets},
        [](auto rank, auto, auto& random) {
          return between(1, 1.02, random) + (rank == 2 ? 0.3 : 0);
        },
        1);
    ASSERT_TRUE(run.run(300));
    EXPECT_NEAR(run.tracker.named().at(0).time_percent, 22, 3) << buckets;
  }
}

// For example one for each parameter.
TEST(Slow, OfCollectivesThatFollowEachOtherAtOnceTheFirstShowsTheDelay) {
  SimulatedRun run(
      {.nodes = 4, .followers = 20},
      [](auto rank, auto, auto& random) {
        return between(1, 1.02, random) + (rank == 2 ? 0.3 : 0);
      },
      1);
  ASSERT_TRUE(run.run(300));
  EXPECT_NEAR(run.tracker.named().at(0).time_percent, 22, 3);
}

TEST(Slow, ANodeIsNamedWhereItsRanksTakeTurns) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SimulatedRun run(
        {.nodes = 4, .ranks_of_node = 4},
        [](auto rank, auto, auto& random) {
          return between(1, 1.1, random) + (rank / 4 == 2 ? 0.15 : 0);
        },
        seed);
    ASSERT_TRUE(run.run(240));
    ASSERT_EQ(run.tracker.named().size(), 1U);
    EXPECT_EQ(run.tracker.named()[0].node, "n2");
    EXPECT_FALSE(run.tracker.named()[0].rank);
  }
}

TEST(Slow, ItIsOverOnceTheRankHasCaughtUp) {
  SimulatedRun run(
      {.nodes = 4},
      [](auto rank, auto step, auto& random) {
        return between(1, 1.1, random) + (rank == 2 && step < 200 ? 0.3 : 0);
      },
      1);
  ASSERT_TRUE(run.run(250));
  EXPECT_FALSE(run.tracker.named()[0].over);
  EXPECT_FALSE(run.run(600));
  EXPECT_TRUE(run.tracker.named()[0].over);
  EXPECT_GT(run.tracker.named()[0].lost, std::chrono::seconds(10));
}

TEST(Slow, ItIsNotNamedBelowThePercentageThatIsAskedFor) {
  const auto compute = [](auto rank, auto, auto& random) {
    return between(1, 1.02, random) + (rank == 2 ? 0.1 : 0);
  };
  EXPECT_TRUE(SimulatedRun({.nodes = 4}, compute, 1, {.percent = 5}).run(600));
  EXPECT_FALSE(SimulatedRun({.nodes = 4}, compute, 1, {.percent = 12}).run(600));
}

// Twenty hours each, and of four sizes.
void expect_nobody(const std::string& kind, const Compute& compute, Shape shape = {}) {
  for (const std::size_t nodes : {2, 3, 4, 8}) {
    shape.nodes = nodes;
    SimulatedRun run(shape, compute, static_cast<std::uint32_t>(nodes));
    const auto time = run.run(20 * hours);
    EXPECT_FALSE(time) << kind << " on " << nodes << " nodes, after " << *time << " s: rank "
                       << run.tracker.named()[0].rank.value_or(99);
  }
}

TEST(Slow, NobodyIsNamedInHoursOfHealthySteps) {
  expect_nobody("noise", [](auto, auto, auto& random) { return between(0.8, 1, random); });
  expect_nobody("several ranks a node",
                [](auto, auto, auto& random) { return between(1.6, 2, random); },
                {.ranks_of_node = 4});
  for (const double buckets : {2, 5, 25}) {
    expect_nobody("buckets", [](auto, auto, auto& random) { return between(1.6, 2, random); },
                  {.buckets = buckets});
  }
}

TEST(Slow, NobodyIsNamedForUnevenBatches) {
  expect_nobody("batches", [](auto, auto, auto& random) {
    return 0.5 * std::exp(std::normal_distribution(0.0, 0.5)(random));
  });
}

TEST(Slow, NobodyIsNamedForAnEvaluationOnRankZero) {
  expect_nobody("evaluation", [](auto rank, auto step, auto& random) {
    return between(0.9, 1, random) + (rank == 0 && step % 200 == 199 ? 60 : 0);
  });
}

TEST(Slow, NobodyIsNamedForCheckpointsOnRankZero) {
  expect_nobody("checkpoint", [](auto rank, auto step, auto& random) {
    return between(0.9, 1, random) + (rank == 0 && step % 10 == 9 ? 2 : 0);
  });
}

TEST(Slow, NobodyIsNamedForHiccups) {
  expect_nobody("hiccups", [](auto, auto, auto& random) {
    return between(0.9, 1, random) + (between(0, 1, random) < 0.02 ? between(0, 5, random) : 0);
  });
}

TEST(Slow, NobodyIsNamedForAWarmUp) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SimulatedRun run(
        {.nodes = 4},
        [](auto rank, auto step, auto& random) {
          return between(0.9, 1, random) + (rank == 1 && step < 40 ? 1 : 0);
        },
        seed);
    EXPECT_FALSE(run.run(1 * hours));
  }
}

TEST(Slow, NobodyIsNamedInAPipeline) {
  const Compute last_stage = [](auto rank, auto, auto& random) {
    return between(0.9, 1, random) + (rank == 0 ? 0.5 : 0);
  };
  EXPECT_FALSE(SimulatedRun({.nodes = 4, .pairs = true}, last_stage, 1).run(600));
  EXPECT_TRUE(SimulatedRun({.nodes = 4}, last_stage, 1).run(600));
}

GroupMeetings meetings(const std::string& name, const std::string& ranks, bool pairs,
                       std::uint32_t slow_rank) {
  GroupMeetings all{.group = {.name = name, .ranks = ranks}};
  all.group.size = static_cast<std::uint32_t>(members_of(ranks).size());
  all.group.pairs = pairs;
  using std::chrono::milliseconds;
  for (std::uint64_t number = 1; number <= 200; ++number) {
    const milliseconds start(1000 * number);
    all.meetings.push_back({.number = number,
                            .operation = "all_reduce",
                            .rank = slow_rank,
                            .node = 1,
                            .nodes = 2,
                            .first = start,
                            .last = start + milliseconds(500),
                            .before = start + milliseconds(10),
                            .other_node = start + milliseconds(10)});
  }
  return all;
}

TEST(Slow, AGroupAcrossThePipelineIsNoEvidenceAndOneBesideItIs) {
  Judge across({});
  across.add({meetings("0", "0-7", false, 5), meetings("1", "4-5", true, 5)});
  EXPECT_TRUE(across.look().empty());
  Judge beside({});
  beside.add({meetings("0", "1,5", false, 5), meetings("1", "4-5", true, 5)});
  ASSERT_EQ(beside.look().size(), 1U);
  EXPECT_EQ(beside.look()[0].rank, 5U);
}

TEST(Slow, GroupsThatBlameARankEachBlameTheirNode) {
  Judge judge({});
  judge.add({meetings("1", "0,4", false, 4), meetings("2", "1,5", false, 5)});
  ASSERT_EQ(judge.look().size(), 1U);
  EXPECT_FALSE(judge.look()[0].rank);
  auto within = meetings("3", "4-7", false, 5);
  for (auto& meeting : within.meetings) {
    meeting.nodes = 1;
    meeting.other_node.reset();
  }
  judge.add({within});
  ASSERT_EQ(judge.look().size(), 1U);
  EXPECT_EQ(judge.look()[0].rank, 5U);
}

TEST(Slow, AnErrorOfTheClocksIsNoDelay) {
  auto late = meetings("0", "0-3", false, 2);
  for (auto& meeting : late.meetings) meeting.error = std::chrono::milliseconds(480);
  Judge judge({});
  judge.add({late});
  EXPECT_TRUE(judge.look().empty());
}

TEST(Slow, MembersAreReadOrNotKnown) {
  EXPECT_EQ(members_of("0-2,8"), (std::vector<std::uint32_t>{0, 1, 2, 8}));
  EXPECT_TRUE(members_of("").empty());
  EXPECT_TRUE(members_of("3-1").empty());
  EXPECT_TRUE(members_of("0-4294967295").empty());
}

}  // namespace
}  // namespace muster::slow
