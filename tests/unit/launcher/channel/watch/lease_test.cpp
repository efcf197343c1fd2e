#include "launcher/channel/watch/lease.hpp"

#include <gtest/gtest.h>

namespace muster::watch {
namespace {

using namespace std::chrono_literals;
using Time = Lease::Time;

constexpr std::chrono::milliseconds heartbeat{10s};

Time at(std::chrono::milliseconds time) {
  return Time(std::chrono::hours{1}) + time;
}

// Asks as often as the lease wants until then, like a running process.
Standing run_until(Lease& lease, std::chrono::milliseconds from, std::chrono::milliseconds to,
                   bool suspended = false) {
  lease.judge(at(from), suspended);
  while (lease.next() < at(to)) lease.judge(lease.next(), suspended);
  return lease.judge(at(to), suspended);
}

Lease begun() {
  Lease lease(heartbeat, true);
  lease.answered(at(0s));
  return lease;
}

TEST(Lease, LetsRanksRunThatNoSupervisorHasEverAnswered) {
  Lease lease(heartbeat, true);
  EXPECT_EQ(run_until(lease, 0s, 600s), Standing::go_on);
  EXPECT_FALSE(lease.has_begun());
  EXPECT_EQ(lease.silence(at(600s)), 0s);
}

TEST(Lease, LastsForItsTimeFromTheQuestionOn) {
  auto lease = begun();
  EXPECT_EQ(lease.judge(at(11'999ms)), Standing::go_on);
  EXPECT_EQ(lease.next(), at(12s));
  EXPECT_EQ(lease.judge(at(12s)), Standing::hold);
  EXPECT_EQ(lease.silence(at(12s)), 12s);
}

TEST(Lease, IsNotLongerForAnAnswerThatComesLate) {
  auto lease = begun();
  lease.answered(at(1s));  // read at 30 s, after a sleep
  EXPECT_EQ(lease.judge(at(30s)), Standing::hold);
  lease.answered(at(500ms));  // another one, out of order
  EXPECT_EQ(lease.silence(at(30s)), 29s);
}

TEST(Lease, HoldsAfterASleepUntilANewAnswerComes) {
  auto lease = begun();
  EXPECT_EQ(lease.judge(at(1s)), Standing::go_on);
  EXPECT_EQ(lease.judge(at(1h)), Standing::hold);  // and does not kill ranks because it slept
  EXPECT_EQ(run_until(lease, 3600s, 3650s), Standing::hold);
  lease.answered(at(3649s));
  EXPECT_EQ(lease.judge(at(3650s)), Standing::go_on);
}

TEST(Lease, FencesWhereNoAnswerComesWhileItRuns) {
  auto lease = begun();
  EXPECT_EQ(run_until(lease, 1s, 71'900ms), Standing::hold);
  EXPECT_EQ(run_until(lease, 71'900ms, 73s), Standing::fence);
  lease.answered(at(73s));
  EXPECT_EQ(lease.judge(at(74s)), Standing::fence) << "it is final";
}

TEST(Lease, DoesNotCountASecondSleepAsTimeInWhichTheSupervisorCouldAnswer) {
  auto lease = begun();
  EXPECT_EQ(run_until(lease, 1s, 20s), Standing::hold);
  EXPECT_EQ(lease.judge(at(500s)), Standing::hold);
  EXPECT_EQ(run_until(lease, 500s, 540s), Standing::hold);
  EXPECT_EQ(run_until(lease, 540s, 555s), Standing::fence);
}

// scontrol suspend: the agent stays awake, and the supervisor of a batch job is suspended with its ranks.
TEST(Lease, HoldsAndDoesNotFenceRanksThatSlurmHasSuspended) {
  auto lease = begun();
  EXPECT_EQ(run_until(lease, 1s, 3600s, true), Standing::hold);
  EXPECT_EQ(run_until(lease, 3600s, 3659s), Standing::hold) << "Slurm has resumed them";
  lease.answered(at(3658s));
  EXPECT_EQ(lease.judge(at(3659s)), Standing::go_on);
}

TEST(Lease, CountsTheTimeUntilTheFenceFromWhenSlurmHasResumedTheRanks) {
  auto lease = begun();
  run_until(lease, 1s, 3600s, true);
  EXPECT_EQ(run_until(lease, 3600s, 3659s), Standing::hold);
  EXPECT_EQ(run_until(lease, 3659s, 3661s), Standing::fence);
}

TEST(Lease, DoesNotHoldSuspendedRanksWhileTheSupervisorAnswers) {
  auto lease = begun();
  EXPECT_EQ(run_until(lease, 0s, 11s, true), Standing::go_on);
  lease.answered(at(11s));
  EXPECT_EQ(run_until(lease, 11s, 22s, true), Standing::go_on);
}

TEST(Lease, FencesSuspendedRanksWhereNobodyListensAnyMore) {
  auto lease = begun();
  EXPECT_EQ(run_until(lease, 1s, 100s, true), Standing::hold);
  for (int time = 0; time < 3; ++time) lease.refused();
  EXPECT_EQ(lease.judge(at(100s), true), Standing::fence);
}

TEST(Lease, FencesSoonerWhereNobodyListensAnyMore) {
  auto lease = begun();
  lease.doubt(at(1s));
  EXPECT_EQ(lease.judge(at(1s)), Standing::hold);
  lease.refused();
  lease.refused();
  EXPECT_EQ(lease.judge(at(2s)), Standing::hold);
  lease.refused();
  EXPECT_EQ(lease.judge(at(2s)), Standing::fence);
}

TEST(Lease, ForgetsThatNobodyListenedWhenSomebodyAnswers) {
  auto lease = begun();
  lease.doubt(at(1s));
  lease.refused();
  lease.refused();
  EXPECT_EQ(run_until(lease, 1s, 5s), Standing::hold);
  lease.answered(at(5s));
  lease.refused();
  EXPECT_EQ(lease.judge(at(5s)), Standing::go_on);
  EXPECT_EQ(run_until(lease, 5s, 40s), Standing::hold);
}

// A migration whose clock stopped, or a connection that the other side has closed.
TEST(Lease, TakesNoAnswerToAnEarlierQuestionOnceThereIsADoubt) {
  auto lease = begun();
  lease.doubt(at(2s));
  EXPECT_EQ(lease.judge(at(2s)), Standing::hold);
  lease.answered(at(1s));
  lease.answered(at(2s));
  EXPECT_EQ(lease.judge(at(3s)), Standing::hold);
  lease.answered(at(2'001ms));
  EXPECT_EQ(lease.judge(at(3s)), Standing::go_on);
}

TEST(Lease, GoesOnWhereNoOtherAttemptCouldStart) {
  Lease lease(heartbeat, false);
  lease.answered(at(0s));
  lease.doubt(at(1s));
  lease.refused();
  EXPECT_EQ(run_until(lease, 1s, 600s), Standing::go_on);
  EXPECT_EQ(lease.silence(at(600s)), 600s) << "the silence is known all the same";
}

TEST(Lease, DoesNotRunWhileTheUserHasStoppedTheSupervisor) {
  auto lease = begun();
  lease.pause(true, at(1s));
  EXPECT_EQ(run_until(lease, 1s, 3600s), Standing::go_on);
  EXPECT_EQ(lease.silence(at(3600s)), 0s);
  lease.pause(false, at(3600s));  // its connection has ended
  EXPECT_EQ(run_until(lease, 3600s, 3611s), Standing::go_on);
  EXPECT_EQ(run_until(lease, 3611s, 3613s), Standing::hold);
}

// The ranks' guard, which cannot ask, relies on this.
TEST(Lease, SaysUntilWhenTheRanksMayRunIfNobodyAsksAnyMore) {
  Lease none(heartbeat, false);
  none.answered(at(0s));
  EXPECT_FALSE(none.until(at(1s)));
  EXPECT_FALSE(Lease(heartbeat, true).until(at(1s)));
  auto lease = begun();
  EXPECT_EQ(lease.until(at(1s)), at(12s));
  lease.answered(at(5s));
  EXPECT_EQ(lease.until(at(30s)), at(17s));
}

TEST(Lease, EndsForWhoCannotAskWhetherAStoppedSupervisorGoesOn) {
  auto lease = begun();
  lease.pause(true, at(1s));
  EXPECT_EQ(lease.until(at(60s)), at(72s));
  lease.pause(false, at(80s));
  EXPECT_EQ(lease.until(at(81s)), at(92s));
}

// A node that pauses for less than the heartbeat, at the worst moment.
TEST(Lease, IsLongEnoughForEachPauseThatCostsNothing) {
  for (const auto each : {1000ms, 3000ms, 10'000ms, 60'000ms}) {
    EXPECT_LT(beat_interval(each) + each, loss_time(each));
    EXPECT_LT(loss_time(each), fence_time(each));
    EXPECT_GE(hold_time(each), fence_time(each));
  }
}

}  // namespace
}  // namespace muster::watch
