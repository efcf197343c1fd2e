#include "core/hang/judge.hpp"

#include "time_line.hpp"

#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace muster::hang {
namespace {

TEST(Hang, IsSaidOnceWhenNothingHasMovedForTheTime) {
  TimeLine step;
  step.pass(seconds(10));
  EXPECT_EQ(count_of(step.pass(minutes(10) - seconds(10)), State::hangs), 0U);
  EXPECT_EQ(step.pass(seconds(10)), std::vector{State::hangs});
  EXPECT_EQ(step.judge.silence(), minutes(10));
  EXPECT_EQ(count_of(step.pass(minutes(60)), State::silent), 360U);
}

TEST(Hang, IsSaidAgainWhereSomethingHasMovedInBetween) {
  TimeLine step;
  EXPECT_EQ(count_of(step.pass(minutes(11)), State::hangs), 1U);
  EXPECT_EQ(step.pass(seconds(10), [&] { *step.now.shown += 1; }), std::vector{State::moves});
  EXPECT_EQ(count_of(step.pass(minutes(11)), State::hangs), 1U);
}

TEST(Hang, IsNoneWhileOneRankWritesACheckpoint) {
  TimeLine step;
  EXPECT_EQ(
      count_of(step.pass(minutes(60), [&] { step.counts(0).files->out += 1 << 20; }), State::moves),
      359U);
}

TEST(Hang, IsNoneWhileRankZeroEvaluatesAndPrintsNowAndThen) {
  TimeLine step;
  int looks = 0;
  const auto evaluate = [&] {
    if (++looks % 30 == 0) *step.now.shown += 20;
  };
  EXPECT_EQ(count_of(step.pass(minutes(60), evaluate), State::hangs), 0U);
}

TEST(Hang, IsNoneWhileMappedFilesAreRead) {
  TimeLine step;
  EXPECT_EQ(count_of(step.pass(minutes(60), [&] { step.counts(1).signs->storage += 4 << 20; }),
                     State::hangs),
            0U);
}

TEST(Hang, IsNoneWhileACompilerComputesOrProcessesAreStarted) {
  TimeLine compiling;
  EXPECT_EQ(count_of(compiling.pass(minutes(60),
                                    [&] { compiling.counts(0).signs->compilers_ms += 9500; }),
                     State::hangs),
            0U);
  TimeLine starting;
  EXPECT_EQ(
      count_of(starting.pass(minutes(60), [&] { starting.counts(0).signs->newest_process += 100; }),
               State::hangs),
      0U);
}

TEST(Hang, IsNoneBeforeTheTasksHaveStartedOrOnceTheyAreToEnd) {
  TimeLine before;
  for (auto& node : before.now.nodes) node.started = false;
  EXPECT_EQ(count_of(before.pass(minutes(60)), State::moves), 360U);
  TimeLine ending;
  ending.now.ending = true;
  EXPECT_EQ(count_of(ending.pass(minutes(60)), State::moves), 360U);
}

TEST(Hang, IsCountedFromWhenTheRanksOfTheLastNodeHaveStarted) {
  TimeLine step;
  step.now.nodes[1].started = false;
  step.now.nodes[1].ranks_up = 0;
  const auto states = step.pass(minutes(60));
  EXPECT_EQ(count_of(states, State::hangs), 0U);
  EXPECT_EQ(count_of(states, State::unseen), 1U) << "that node is named";
  EXPECT_EQ(step.judge.unseen(), (std::vector<Unseen>{{.node = "node2", .starting = true}}));
  step.now.nodes[1].started = true;
  step.now.nodes[1].ranks_up = 2;
  EXPECT_EQ(step.pass(seconds(10)), std::vector{State::moves});
  EXPECT_EQ(count_of(step.pass(minutes(10) - seconds(10)), State::hangs), 0U);
  EXPECT_EQ(step.pass(seconds(10)), std::vector{State::hangs});
}

TEST(Hang, IsFoundWhereTheRanksOfOneNodeHaveAllEnded) {
  TimeLine step;
  step.now.nodes[1].ranks_up = 0;
  step.now.nodes[1].counts = {};
  EXPECT_EQ(count_of(step.pass(minutes(11)), State::hangs), 1U);
}

// Torch's NCCL backend queries rank 0's store once a second in every rank; monitoring reads from each node.
TEST(Hang, IsNotHiddenByHeartbeatsOfAnyNumberOfRanks) {
  for (const std::uint32_t ranks : {4U, 512U, 8192U}) {
    TimeLine step;
    step.now.ranks = ranks;
    const auto beat = [&] {
      for (const std::size_t node : {0U, 1U}) {
        const std::int64_t asking = node == 0 ? ranks : 8;
        step.counts(node).network->in += 10 * asking * 300 + 100'000;
        step.counts(node).network->out += 10 * asking * 300 + 100'000;
        step.counts(node).files->in += 10 * asking * 150;
        step.counts(node).files->out += 10 * asking * 150;
      }
    };
    EXPECT_EQ(count_of(step.pass(minutes(11), beat), State::hangs), 1U) << ranks;
  }
}

TEST(Hang, IsNotMadeOfTimeInWhichTheSupervisorDidNotRun) {
  TimeLine step;
  step.pass(minutes(5));
  step.tick(std::chrono::hours(8));
  EXPECT_EQ(step.judge.take(step.now), State::silent);
  EXPECT_LE(step.judge.silence(), minutes(5));
  step.tick(-std::chrono::hours(2));
  EXPECT_EQ(step.judge.take(step.now), State::silent);
  EXPECT_LE(step.judge.silence(), minutes(5));
}

void suspend(TimeLine& step, bool suspended) {
  for (auto& node : step.now.nodes) node.counts->signs->suspended = suspended;
}

// scontrol suspend of an salloc job: the supervisor is on another host and stays awake.
TEST(Hang, IsNotMadeOfTimeInWhichSlurmHadSuspendedTheJob) {
  TimeLine step;
  step.pass(minutes(5));
  suspend(step, true);
  EXPECT_EQ(count_of(step.pass(minutes(60)), State::silent), 360U);
  suspend(step, false);
  EXPECT_EQ(count_of(step.pass(minutes(4)), State::hangs), 0U);
  EXPECT_EQ(count_of(step.pass(minutes(2)), State::hangs), 1U) << "before and after it, 10 minutes";
}

TEST(Hang, IsOverWhereARankHasGoneOnJustWhenSlurmResumedTheJob) {
  TimeLine step;
  step.pass(minutes(9));
  suspend(step, true);
  step.pass(minutes(1));
  suspend(step, false);
  ++*step.now.shown;
  EXPECT_EQ(count_of(step.pass(minutes(9)), State::hangs), 0U);
}

TEST(Hang, IsMadeOfTheTimeInWhichTheRanksOfOneNodeAreStopped) {
  TimeLine step;
  step.counts(1).signs->suspended = true;
  EXPECT_EQ(count_of(step.pass(minutes(11)), State::hangs), 1U);
}

TEST(Hang, IsNotMadeOfASuspendedNodeWhereTheRanksOfTheOtherHaveEnded) {
  TimeLine step;
  suspend(step, true);
  step.now.nodes[0].ranks_up = 0;
  step.now.nodes[0].counts->signs->suspended = false;
  EXPECT_EQ(count_of(step.pass(minutes(60)), State::hangs), 0U);
}

TEST(Hang, IsNotMadeOfANodeThatDoesNotAnswerAndThatIsSaidOnce) {
  TimeLine step;
  step.pass(minutes(1));
  step.now.nodes[1].counts.reset();
  const auto states = step.pass(minutes(60));
  EXPECT_EQ(count_of(states, State::hangs), 0U);
  EXPECT_EQ(count_of(states, State::unseen), 1U);
  EXPECT_EQ(step.judge.unseen(), (std::vector<Unseen>{{.node = "node2"}}));
}

TEST(Hang, IsNotMadeOfAnAnswerThatIsOldOrOfAnAgentThatSeesLess) {
  TimeLine old;
  const auto stays = [&, time = old.counts(1).time] { old.counts(1).time = time; };
  EXPECT_EQ(count_of(old.pass(minutes(60), stays), State::hangs), 0U);
  TimeLine less;
  less.counts(0).signs.reset();
  EXPECT_EQ(count_of(less.pass(minutes(60)), State::hangs), 0U);
}

TEST(Hang, IsNotMadeOfOutputThatNobodySees) {
  TimeLine step;
  step.now.shown.reset();
  const auto states = step.pass(minutes(60));
  EXPECT_EQ(count_of(states, State::hangs), 0U);
  EXPECT_EQ(count_of(states, State::unseen), 1U);
  EXPECT_TRUE(step.judge.unseen().empty());
}

TEST(Hang, IsNotJudgedByWhatADumpHasMoved) {
  TimeLine step;
  EXPECT_EQ(count_of(step.pass(minutes(11)), State::hangs), 1U);
  step.tick(seconds(20));
  step.counts(0).network->out += 10 << 20;
  step.counts(1).files->out += 10 << 20;
  EXPECT_EQ(step.judge.take_after_dump(step.now), State::silent);
  EXPECT_EQ(count_of(step.pass(minutes(60)), State::silent), 360U);
}

TEST(Hang, IsOverWhereARankHasGoneOnWhileTheDumpWasTaken) {
  const std::vector<std::function<void(TimeLine&)>> signs{
      [](auto& step) { ++*step.now.shown; }, [](auto& step) { ++step.counts(1).signs->output; },
      [](auto& step) { ++step.counts(1).signs->newest_process; },
      [](auto& step) { step.now.nodes[0].ranks_up = 1; },
      [](auto& step) { step.now.ending = true; }};
  for (const auto& goes_on : signs) {
    TimeLine step;
    EXPECT_EQ(count_of(step.pass(minutes(11)), State::hangs), 1U);
    step.tick(seconds(20));
    goes_on(step);
    EXPECT_EQ(step.judge.take_after_dump(step.now), State::moves);
    EXPECT_EQ(step.judge.silence(), seconds(0));
  }
}

// All ranks of a step sometimes print a line from another thread, or read a file.
class StepInCollectives : public testing::Test {
 protected:
  StepInCollectives() {
    for (const std::size_t node : {0U, 1U}) collectives(node) = {2, 2, 40};
  }
  status::Collectives& collectives(std::size_t node) {
    auto& found = step_.counts(node).signs->collectives;
    if (!found) found.emplace();
    return *found;
  }
  std::size_t hangs_in(std::chrono::nanoseconds time, const std::function<void()>& happens = {}) {
    const auto print = [&] {
      ++*step_.now.shown;
      step_.counts(1).files->in += 10 << 20;
      if (happens) happens();
    };
    return count_of(step_.pass(time, print), State::hangs);
  }

  TimeLine step_;
};

TEST_F(StepInCollectives, HangsThoughItPrintsOnceForAllThatTime) {
  EXPECT_EQ(hangs_in(minutes(10)), 0U);
  EXPECT_EQ(hangs_in(minutes(60)), 1U);
  EXPECT_TRUE(step_.judge.by_collectives());
}

TEST_F(StepInCollectives, DoesNotHangWhereOneRankIsOutside) {
  collectives(1).inside = 1;  // it writes a checkpoint, or evaluates
  EXPECT_EQ(hangs_in(minutes(60)), 0U);
}

TEST_F(StepInCollectives, DoesNotHangWhereOneOfThemMovesOrDoesNotAnswerOrIsStillToStart) {
  int looks = 0;
  EXPECT_EQ(hangs_in(minutes(60), [&] { collectives(0).progress += ++looks % 50 == 0; }), 0U);
  collectives(1) = {1, 1, 20};
  EXPECT_EQ(hangs_in(minutes(60)), 0U);
  step_.counts(1).signs->collectives.reset();
  EXPECT_EQ(hangs_in(minutes(60)), 0U);
  collectives(1) = {2, 2, 40};
  step_.now.nodes[1].started = false;
  EXPECT_EQ(hangs_in(minutes(60)), 0U);
}

TEST_F(StepInCollectives, IsSaidToHangOnceWhereNothingElseMovesEither) {
  EXPECT_EQ(count_of(step_.pass(minutes(60)), State::hangs), 1U);
  EXPECT_FALSE(step_.judge.by_collectives());
}

TEST_F(StepInCollectives, HangsNoMoreWhereACollectiveHasEndedWhileTheDumpWasTaken) {
  hangs_in(minutes(10) + seconds(10));
  ASSERT_TRUE(step_.judge.by_collectives());
  step_.tick(seconds(20));
  ++*step_.now.shown;
  step_.judge.take_after_dump(step_.now);
  EXPECT_GT(step_.judge.silence(), seconds(0));
  step_.tick(seconds(10));
  ++collectives(0).progress;
  step_.judge.take(step_.now);
  EXPECT_EQ(step_.judge.silence(), seconds(0));
}

// Whatever moves at whatever times: a hang is reported exactly if the silence before it was long enough, and
// once in each silence.
TEST(Hang, IsSaidInExactlyTheSilencesThatAreLongEnough) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    TimeLine step(minutes(2), 3);
    step.judge.take(step.now);
    std::size_t silent_looks = 0;
    for (int look = 0; look < 500; ++look) {
      step.tick(seconds(10));
      const bool life = random() % 12 == 0;
      auto& counts = step.counts(random() % 3);
      if (life) {
        switch (random() % 6) {
          case 0:
            counts.network->in += 10 << 20;
            break;
          case 1:
            counts.rdma->out += 10 << 20;
            break;
          case 2:
            counts.files->in += 10 << 20;
            break;
          case 3:
            counts.signs->output += 1;
            break;
          case 4:
            ++counts.signs->newest_process;
            break;
          default:
            ++*step.now.shown;
        }
      }
      silent_looks = life ? 0 : silent_looks + 1;
      const auto expected = life ? State::moves : silent_looks == 12 ? State::hangs : State::silent;
      ASSERT_EQ(step.judge.take(step.now), expected) << round << ", look " << look;
    }
  }
}

TEST(Interval, IsATenthOfTheTimeWithinBounds) {
  EXPECT_EQ(interval_for(seconds(5)), milliseconds(500));
  EXPECT_EQ(interval_for(seconds(60)), seconds(6));
  EXPECT_EQ(interval_for(minutes(60)), seconds(10));
}

}  // namespace
}  // namespace muster::hang
