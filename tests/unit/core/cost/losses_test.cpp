#include "core/cost/losses.hpp"

#include "core/cost/account.hpp"
#include "fixtures/random_text.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace muster::cost {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

// All ranks run from `begin` to `end`. After `startup` the program does a step each `step_time`, from `first`
// on, and writes the number of each finished one.
Attempt counting(Time begin, Time end, Time startup, double first, Time step_time = 1s) {
  Attempt attempt{
      .launched = begin - 1s, .all_started = begin, .ceased = end, .ending = end, .over = end + 1s};
  auto step = first;
  for (auto at = begin + startup + step_time; at <= end; at += step_time) {
    attempt.progress.add({at, step});
    step += 1;
  }
  return attempt;
}

TEST(Losses, AreTheStepsThatTheNextAttemptDoesAgain) {
  // Attempt 0 does steps 1 to 95 and fails in step 96; the last checkpoint was after step 50.
  const std::vector attempts{counting(0s, 100s, 4500ms, 1), counting(110s, 160s, 5s, 51)};
  const auto found = losses(attempts);
  EXPECT_EQ(found[0], (Loss{.startup = 4500ms, .lost_work = 45500ms}));
  EXPECT_EQ(found[1], (Loss{.startup = 5s, .lost_work = 0s}));
}

TEST(Losses, CountWhatALaterAttemptWentBackBehind) {
  // Attempt 1 goes on from step 50, attempt 2 only from step 20: attempt 1's work is all in vain.
  const std::vector attempts{counting(0s, 100s, 0s, 1), counting(110s, 130s, 0s, 51),
                             counting(140s, 300s, 0s, 21)};
  const auto found = losses(attempts);
  EXPECT_EQ(found[0].lost_work, 80s);
  EXPECT_EQ(found[1].lost_work, 20s);
  EXPECT_EQ(found[2].lost_work, 0s);
}

TEST(Losses, AreTheWholeAttemptThatEndedBeforeItsFirstStep) {
  Attempt still = counting(105s, 108s, 5s, 1);
  ASSERT_TRUE(still.progress.marks().empty());
  const std::vector attempts{counting(0s, 100s, 5s, 1), still, counting(110s, 200s, 5s, 96)};
  const auto found = losses(attempts);
  EXPECT_EQ(found[1], (Loss{.startup = 3s, .lost_work = 0s}));  // it did not get past its start
  EXPECT_EQ(found[0].lost_work, 0s);
}

// A file with the number of the last checkpoint, as Megatron writes it: the next attempt begins there, and
// its first number is that of the next checkpoint.
TEST(Losses, BeginAtTheLastCheckpointOfAProgramThatWritesOnlyThese) {
  Attempt first{.all_started = 0s, .ceased = 350s, .ending = 350s, .over = 351s};
  for (const int i : {1, 2, 3}) first.progress.add({i * 110s, 500.0 * i});
  Attempt second{.launched = 352s, .all_started = 360s, .ceased = 600s, .over = 600s};
  second.progress.add({480s, 2000.0});
  second.progress.add({590s, 2500.0});
  const auto found = losses(std::vector{first, second});
  EXPECT_EQ(found[0], (Loss{.startup = 0s, .lost_work = 20s}));
  EXPECT_EQ(found[1], (Loss{.startup = 10s, .lost_work = 0s}));
}

TEST(Losses, BeginAtTheLastChangeOfAFileWithoutANumber) {
  Attempt first{.all_started = 0s, .ceased = 100s, .ending = 100s, .over = 101s};
  for (const int i : {1, 2, 3}) first.progress.add({i * 30s, std::nullopt});
  Attempt second = first;
  second.launched = 102s;
  second.all_started = 103s;
  second.ceased = 200s;
  second.progress = {};
  EXPECT_EQ(losses(std::vector{first, second})[0].lost_work, 10s);
}

TEST(Losses, AreUnknownWithoutAnyProgress) {
  const std::vector attempts{Attempt{.all_started = 0s, .ceased = 10s}, Attempt{.ceased = 20s}};
  EXPECT_EQ(losses(attempts), (std::vector<Loss>{{}, {}}));
  EXPECT_TRUE(losses({}).empty());
}

// The recorder's count begins anew in each process, so it does not say where an attempt began.
TEST(Losses, AreOnlyTheTimeToTheProcessGroupWithoutProgress) {
  std::vector attempts{
      Attempt{.all_started = 0s, .ceased = 100s, .group = 8s},
      Attempt{.launched = 101s, .all_started = 110s, .ceased = 112s},
      Attempt{.launched = 113s, .all_started = 120s, .ceased = 200s, .group = 130s}};
  EXPECT_EQ(losses(attempts),
            (std::vector<Loss>{{.startup = 8s}, {.startup = 2s}, {.startup = 10s}}));
  attempts[0].progress.add({50s, 1});
  EXPECT_TRUE(losses(attempts)[0].lost_work);  // the program's own word is better
}

// The number of a step within its epoch says nothing about where an attempt began.
TEST(Losses, OfNumbersThatFallBeginAtTheLastChange) {
  Attempt first{.all_started = 0s, .ceased = 100s, .ending = 100s, .over = 101s};
  for (int i = 1; i < 100; ++i) first.progress.add({i * 1s, i % 10});
  const auto second = counting(110s, 120s, 0s, 1);
  EXPECT_EQ(losses(std::vector{first, second})[0].lost_work, 1s);
}

// ---- beside the truth

struct Run {
  std::vector<Attempt> attempts;
  Time wall{0};
  Time kept{0};  // the time of the steps that no later attempt did again
};

// A training of 10,000 to 20,000 s with a checkpoint now and then, a fault now and then, and steps that take
// differently long. The supervisor looks once a second.
Run made_up_run(fixtures::RandomText& random) {
  struct Step {
    int number;
    Time time;
  };
  Run run;
  std::vector<Step> done;  // the steps in whose results the next attempt begins
  Time now{0};
  const auto length = 10'000s + random.below(10'000) * 1s;
  const auto checkpoint_every = 20 + static_cast<int>(random.below(300));
  int saved = 0;
  while (now < length) {
    Attempt attempt{.launched = now, .all_started = now + 3s};
    now += 3s + milliseconds(5000 + random.below(20'000));
    const auto fault = now + milliseconds(random.below(4'000'000));
    std::erase_if(done, [saved](const auto& step) { return step.number > saved; });
    int step = saved;
    Time looked{0};
    while (now < length && now < fault) {
      const Time time = milliseconds(200 + random.below(3000));
      now += time;
      if (now > fault) break;
      done.push_back({++step, time});
      if (now - looked >= 1s) {
        looked = now;
        attempt.progress.add({now, step});
      }
      if (step % checkpoint_every == 0) saved = step;
    }
    now = std::min(now, std::max(fault, attempt.launched));
    attempt.ceased = now;
    now += milliseconds(random.below(10'000));
    attempt.ending = now;
    attempt.over = now;
    run.attempts.push_back(attempt);
  }
  run.wall = now;
  for (const auto& step : done) run.kept += step.time;
  return run;
}

TEST(Losses, AreWithinHalfAPointOfTheTruth) {
  fixtures::RandomText random(34);
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    const auto run = made_up_run(random);
    const auto found = account(run.attempts, losses(run.attempts));
    const auto truth =
        std::chrono::duration<double>(run.kept) / std::chrono::duration<double>(run.wall);
    worst = std::max(worst, std::abs(effective_share(found) - truth));
  }
  EXPECT_LT(worst, 0.005);
}

Time any_time(fixtures::RandomText& random) {
  if (random.below(10) == 0) return Time::max();
  if (random.below(10) == 0) return Time::min();
  return milliseconds(random.below(1000));
}

TEST(Losses, AreNeverMoreThanTheTimeInWhichTheRanksRanWhateverTheTimesAre) {
  fixtures::RandomText random(35);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<Attempt> attempts(1 + random.below(4));
    for (auto& attempt : attempts) {
      attempt.launched = any_time(random);
      if (random.below(3) > 0) attempt.all_started = any_time(random);
      if (random.below(3) > 0) attempt.group = any_time(random);
      attempt.held_up = any_time(random);
      attempt.ceased = any_time(random);
      if (random.below(3) > 0) attempt.ending = any_time(random);
      attempt.over = any_time(random);
      for (auto marks = random.below(5); marks > 0; --marks) {
        const auto step = random.below(4) == 0
                              ? std::nullopt
                              : std::optional<double>(static_cast<int>(random.below(9)));
        attempt.progress.add({any_time(random), step});
      }
    }
    const auto found = losses(attempts);
    ASSERT_EQ(found.size(), attempts.size());
    for (const auto& loss : found) {
      ASSERT_GE(loss.startup.value_or(Time(0)).count(), 0);
      ASSERT_GE(loss.lost_work.value_or(Time(0)).count(), 0);
    }
    const auto sum = account(attempts, found);
    ASSERT_LE(sum.startup + sum.lost_work, sum.all_ran);
    ASSERT_LE(sum.held_up + lost_work_limit(sum), 2 * effective(sum));
    ASSERT_GE(lost_work_limit(sum).count(), 0);
    ASSERT_LE(sum.all_ran, sum.wall);
  }
}

TEST(Progress, KeepsTheFirstMarksAndTheLast) {
  Progress progress;
  for (int i = 0; i < 100'000; ++i) progress.add({i * 1s, i});
  const auto& marks = progress.marks();
  EXPECT_LE(marks.size(), max_marks);
  for (std::size_t i = 0; i < first_marks; ++i) EXPECT_EQ(marks[i].time, i * 1s);
  EXPECT_EQ(marks.back().time, 99'999s);
  EXPECT_TRUE(std::ranges::is_sorted(marks, {}, &Mark::time));
  const auto few = progress.thinned(32);
  EXPECT_LE(few.size(), 32U);
  EXPECT_EQ(few.back(), marks.back());
}

}  // namespace
}  // namespace muster::cost
