#include "core/restart/step_ending.hpp"

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const SteadyTime start = SteadyTime{} + std::chrono::hours{1};

void expect_at(const StepEnding& ending, SteadyTime due, Measure measure) {
  const auto before = decide_ending(ending, due - milliseconds{1});
  EXPECT_EQ(before.measure, Measure::wait);
  EXPECT_EQ(before.again, due);
  EXPECT_EQ(decide_ending(ending, due).measure, measure);
}

TEST(Ending, AStepWithoutFailureIsLeftAlone) {
  const auto decision = decide_ending({.complete = start}, start + seconds{100});
  EXPECT_EQ(decision.measure, Measure::wait);
  EXPECT_EQ(decision.again, std::nullopt);
}

TEST(Ending, TheFirstFailureEndsTheRanksAtOnce) {
  EXPECT_EQ(decide_ending({.failure = start}, start).measure, Measure::tell_agents);
}

TEST(Ending, AFailureThatDoesNotTellTheCauseWaitsForOneThatDoes) {
  constexpr milliseconds delay{200};
  expect_at({.failure = start, .suspect_delay = delay}, start + delay, Measure::tell_agents);
}

TEST(Ending, WithKillOnBadExitOffAFailureEndsNothing) {
  const StepEnding ending{.ends_by_first_failure = false, .failure = start};
  const auto decision = decide_ending(ending, start + seconds{100});
  EXPECT_EQ(decision.measure, Measure::wait);
  EXPECT_EQ(decision.again, std::nullopt);
}

TEST(Ending, AHangIsEndedOnceWhateverKillOnBadExitSays) {
  EXPECT_EQ(decide_ending({.ends_by_first_failure = false, .hangs = true}, start).measure,
            Measure::tell_agents);
  EXPECT_EQ(decide_ending({.hangs = true, .told = start}, start).measure, Measure::wait);
}

TEST(Ending, SlurmEndsWhatTheAgentsCouldNot) {
  expect_at({.grace = seconds{5}, .failure = start, .told = start},
            start + seconds{5} + agents_margin, Measure::terminate_step);
}

TEST(Ending, SlurmEndsAStepWhoseRanksAreGoneAndWhoseOutputIsHeld) {
  const StepEnding ending{
      .grace = seconds{30}, .failure = start, .told = start, .complete = start + seconds{1}};
  expect_at(ending, start + seconds{1} + sruns_end, Measure::terminate_step);
}

TEST(Ending, AnSrunThatSlurmCannotEndIsLeft) {
  const StepEnding ending{.failure = start, .told = start, .terminated = start + seconds{3}};
  expect_at(ending, start + seconds{3} + slurms_end, Measure::kill_srun);
}

TEST(Ending, AnSrunThatWaitsForALostNodeIsLeftOnceTheOthersHaveEnded) {
  const StepEnding ending{.grace = seconds{30},
                          .failure = start,
                          .told = start,
                          .complete = start + milliseconds{50},
                          .lost_node = true};
  expect_at(ending, start + milliseconds{50} + last_output, Measure::kill_srun);
}

TEST(Ending, AnSrunThatWaitsForARankThatNothingEndsIsLeftOnceTheOthersHaveEnded) {
  StepEnding ending{.grace = seconds{30}, .failure = start, .told = start, .stuck = true};
  expect_at(ending, start + seconds{30} + agents_margin, Measure::terminate_step);
  ending.complete = start + seconds{1};
  expect_at(ending, start + seconds{1} + sruns_end, Measure::kill_srun);
  ending.terminated = start + seconds{1};
  expect_at(ending, start + seconds{1} + sruns_end, Measure::kill_srun);
}

TEST(Ending, OthersAreWaitedForWhereANodeIsLostAndKillOnBadExitIsOff) {
  const StepEnding ending{.ends_by_first_failure = false, .failure = start, .lost_node = true};
  EXPECT_EQ(decide_ending(ending, start + seconds{100}).measure, Measure::wait);
}

TEST(Ending, AnSrunThatWasLeftIsLeftAlone) {
  const StepEnding ending{
      .failure = start, .told = start, .complete = start, .lost_node = true, .srun_killed = true};
  const auto decision = decide_ending(ending, start + seconds{100});
  EXPECT_EQ(decision.measure, Measure::wait);
  EXPECT_EQ(decision.again, std::nullopt);
}

}  // namespace
}  // namespace muster::restart
