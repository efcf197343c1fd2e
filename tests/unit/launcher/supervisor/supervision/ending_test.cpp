#include "launcher/supervisor/supervision/ending.hpp"

#include <gtest/gtest.h>

namespace muster::supervision {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Time start = Time{} + std::chrono::hours{1};

void expect_at(const Course& course, Time due, Measure measure) {
  const auto before = decide(course, due - milliseconds{1});
  EXPECT_EQ(before.measure, Measure::wait);
  EXPECT_EQ(before.again, due);
  EXPECT_EQ(decide(course, due).measure, measure);
}

TEST(Ending, AStepWithoutFailureIsLeftAlone) {
  const auto decision = decide({.complete = start}, start + seconds{100});
  EXPECT_EQ(decision.measure, Measure::wait);
  EXPECT_EQ(decision.again, std::nullopt);
}

TEST(Ending, TheFirstFailureEndsTheRanksAtOnce) {
  EXPECT_EQ(decide({.failure = start}, start).measure, Measure::tell_agents);
}

TEST(Ending, AFailureThatDoesNotTellTheCauseWaitsForOneThatDoes) {
  constexpr milliseconds delay{200};
  expect_at({.failure = start, .patience = delay}, start + delay, Measure::tell_agents);
}

TEST(Ending, WithKillOnBadExitOffAFailureEndsNothing) {
  const Course course{.ends_by_first_failure = false, .failure = start};
  const auto decision = decide(course, start + seconds{100});
  EXPECT_EQ(decision.measure, Measure::wait);
  EXPECT_EQ(decision.again, std::nullopt);
}

TEST(Ending, AHangIsEndedOnceWhateverKillOnBadExitSays) {
  EXPECT_EQ(decide({.ends_by_first_failure = false, .hangs = true}, start).measure,
            Measure::tell_agents);
  EXPECT_EQ(decide({.hangs = true, .told = start}, start).measure, Measure::wait);
}

TEST(Ending, SlurmEndsWhatTheAgentsCouldNot) {
  expect_at({.grace = seconds{5}, .failure = start, .told = start},
            start + seconds{5} + agents_margin, Measure::terminate_step);
}

TEST(Ending, SlurmEndsAStepWhoseRanksAreGoneAndWhoseOutputIsHeld) {
  const Course course{
      .grace = seconds{30}, .failure = start, .told = start, .complete = start + seconds{1}};
  expect_at(course, start + seconds{1} + sruns_end, Measure::terminate_step);
}

TEST(Ending, AnSrunThatSlurmCannotEndIsLeft) {
  const Course course{.failure = start, .told = start, .terminated = start + seconds{3}};
  expect_at(course, start + seconds{3} + slurms_end, Measure::kill_srun);
}

TEST(Ending, AnSrunThatWaitsForALostNodeIsLeftOnceTheOthersHaveEnded) {
  const Course course{.grace = seconds{30},
                      .failure = start,
                      .told = start,
                      .complete = start + milliseconds{50},
                      .lost_node = true};
  expect_at(course, start + milliseconds{50} + last_output, Measure::kill_srun);
}

TEST(Ending, AnSrunThatWaitsForARankThatNothingEndsIsLeftOnceTheOthersHaveEnded) {
  Course course{.grace = seconds{30}, .failure = start, .told = start, .stuck = true};
  expect_at(course, start + seconds{30} + agents_margin, Measure::terminate_step);
  course.complete = start + seconds{1};
  expect_at(course, start + seconds{1} + sruns_end, Measure::kill_srun);
  course.terminated = start + seconds{1};
  expect_at(course, start + seconds{1} + sruns_end, Measure::kill_srun);
}

TEST(Ending, OthersAreWaitedForWhereANodeIsLostAndKillOnBadExitIsOff) {
  const Course course{.ends_by_first_failure = false, .failure = start, .lost_node = true};
  EXPECT_EQ(decide(course, start + seconds{100}).measure, Measure::wait);
}

TEST(Ending, AnSrunThatWasLeftIsLeftAlone) {
  const Course course{
      .failure = start, .told = start, .complete = start, .lost_node = true, .left = true};
  const auto decision = decide(course, start + seconds{100});
  EXPECT_EQ(decision.measure, Measure::wait);
  EXPECT_EQ(decision.again, std::nullopt);
}

}  // namespace
}  // namespace muster::supervision
