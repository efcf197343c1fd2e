#include "core/report/effective_time.hpp"

#include "core/cost/text.hpp"
#include "fixtures/random_text.hpp"
#include "made_up_step.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

using std::chrono::nanoseconds;

// Launched at 0; all ranks ran from 2 s on; the first failure came at 12 s; muster began to end the others at
// 13 s; everything had ended at 15 s.
AttemptSummary failed_attempt() {
  AttemptSummary attempt;
  attempt.result = Result::failed;
  attempt.times = {at(0s), at(1s), at(2s), at(12s), at(13s), at(14s), at(15s)};
  return attempt;
}

// Launched at 20 s; all ranks ran from 22 s to 100 s.
AttemptSummary successful_attempt() {
  AttemptSummary attempt;
  attempt.number = 1;
  attempt.times = {at(20s), at(21s), at(22s), {}, {}, at(100s), at(101s)};
  return attempt;
}

// Without what the last attempt did, which is not a part of its own.
cost::Account parts_of(const std::vector<AttemptSummary>& attempts) {
  auto account = effective_time(attempts);
  account.last_effective = {};
  return account;
}

TEST(EffectiveTime, OfOneAttemptIsThatInWhichAllItsRanksRan) {
  EXPECT_EQ(parts_of({failed_attempt()}), (cost::Account{15s, 10s, 2s, 1s, 2s, 0s}));
  EXPECT_EQ(parts_of({successful_attempt()}), (cost::Account{81s, 78s, 2s, 0s, 1s, 0s}));
  EXPECT_EQ(effective_time(std::vector{successful_attempt()}).last_effective, 78s);
}

TEST(EffectiveTime, CountsThePauseBetweenTwoAttempts) {
  const std::vector attempts{failed_attempt(), successful_attempt()};
  EXPECT_EQ(parts_of(attempts), (cost::Account{101s, 88s, 4s, 1s, 3s, 5s}));
  EXPECT_EQ(
      cost::to_text(effective_time(attempts)),
      "all ranks ran 87.1 % of 1 min 41 s; start 4.0 s, detection 1.0 s, stop 3.0 s, pauses 5.0 s");
}

TEST(EffectiveTime, CountsNothingTwiceWhereTheNextAttemptDoesNotWaitForTheEnd) {
  AttemptSummary first = failed_attempt();
  first.times.over = at(60s);
  EXPECT_EQ(parts_of({first, successful_attempt()}), (cost::Account{101s, 88s, 4s, 1s, 8s, 0s}));
}

TEST(EffectiveTime, IsNoneWhereANodeNeverStarted) {
  AttemptSummary attempt = failed_attempt();
  attempt.times.all_started.reset();
  EXPECT_EQ(effective_time(std::vector{attempt}), (cost::Account{15s, 0s, 12s, 1s, 2s, 0s}));
}

TEST(EffectiveTime, IsNothingWithoutAnAttempt) {
  EXPECT_EQ(effective_time(std::vector<AttemptSummary>()), cost::Account{});
  EXPECT_EQ(cost::effective_share({}), 0);
}

TEST(EffectiveTime, LeavesOutWhatALaterAttemptDidAgainAndTheProgramsStart) {
  auto first = failed_attempt();
  first.loss = {.startup = 1s, .lost_work = 4s};
  auto second = successful_attempt();
  second.loss = {.startup = 2s, .lost_work = 0s};
  const auto time = effective_time(std::vector{first, second});
  EXPECT_EQ(time.all_ran, 88s);
  EXPECT_EQ(cost::effective(time), 81s);
  EXPECT_EQ(cost::to_text(time),
            "trained 80.2 % of 1 min 41 s; lost work 4.0 s, program start 3.0 s, start 4.0 s, "
            "detection 1.0 s, stop 3.0 s, pauses 5.0 s");
}

TEST(EffectiveTime, TellsAHangFromADetection) {
  auto hung = failed_attempt();
  hung.hung = true;
  const auto time = effective_time(std::vector{hung, successful_attempt()});
  EXPECT_EQ(time.hang, 1s);
  EXPECT_EQ(time.detection, 0s);
  EXPECT_NE(cost::to_text(time).find("; hang 1.0 s, start"), std::string::npos)
      << cost::to_text(time);
}

TEST(EffectiveTime, IncludesTheJobsEarlierRunsAndTheQueue) {
  Report report;
  report.attempts = {successful_attempt()};
  report.earlier = {.wall = 119s, .all_ran = 20s, .start = 9s, .queue = 90s};
  EXPECT_EQ(effective_time(report).wall, 200s);
  EXPECT_EQ(cost::effective(effective_time(report)), 98s);
}

Moment any_moment(fixtures::RandomText& random) {
  if (random.below(10) == 0) return at(nanoseconds::max());
  if (random.below(10) == 0) return at(nanoseconds::min());
  return at(std::chrono::milliseconds(random.below(1000)));
}

std::optional<Moment> perhaps(fixtures::RandomText& random) {
  return random.below(3) == 0 ? std::nullopt : std::optional(any_moment(random));
}

TEST(EffectiveTime, HasPartsThatAddUpWhateverTheTimesAre) {
  fixtures::RandomText random(23);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<AttemptSummary> attempts(1 + random.below(5));
    for (auto& attempt : attempts) {
      attempt.times = {any_moment(random), perhaps(random), perhaps(random),   perhaps(random),
                       perhaps(random),    perhaps(random), any_moment(random)};
      attempt.hung = random.below(3) == 0;
      if (random.below(2) == 0) attempt.loss = {any_moment(random).time, any_moment(random).time};
    }
    const auto time = effective_time(attempts);
    for (const auto part : {time.all_ran, time.start, time.detection, time.stop, time.pauses,
                            time.hang, time.startup, time.lost_work, cost::effective(time)}) {
      ASSERT_GE(part.count(), 0);
      ASSERT_LE(part, time.wall);
    }
    ASSERT_EQ(time.all_ran + time.start + time.detection + time.hang + time.stop + time.pauses,
              time.wall);
    ASSERT_GE(cost::effective_share(time), 0);
    ASSERT_LE(cost::effective_share(time), 1);
  }
}

}  // namespace
}  // namespace muster::report
