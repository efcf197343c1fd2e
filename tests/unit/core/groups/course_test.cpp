#include "core/groups/course.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::groups {
namespace {

using enum State;

std::vector<Group> groups(std::initializer_list<State> states) {
  std::vector<Group> list;
  for (const auto state : states) list.push_back({state, state == failed ? 3 : 0});
  return list;
}

TEST(Course, KnowsWhyAGroupHasEnded) {
  EXPECT_EQ(state_after(0, {}), done);
  EXPECT_EQ(state_after(1, {}), failed);
  EXPECT_EQ(state_after(1, {.short_of_nodes = true}), waiting);
  EXPECT_EQ(state_after(143, {.stopped = true, .short_of_nodes = true}), stopped);
  EXPECT_EQ(state_after(0, {.stopped = true}), done);
}

TEST(Course, AGroupThatWasEndedToStartAgainIsNotDoneWhateverItsCode) {
  EXPECT_EQ(state_after(0, {.begins_again = true}), waiting);
  EXPECT_EQ(state_after(143, {.begins_again = true}), waiting);
}

TEST(Course, GoesOnWithEnoughGroups) {
  EXPECT_EQ(next_of(groups({running, running, failed}), 2, false), Next::wait);
  EXPECT_EQ(next_of(groups({running, done, waiting}), 2, false), Next::wait);
}

TEST(Course, StopsTheOthersWhenTooFewAreLeft) {
  EXPECT_EQ(next_of(groups({running, waiting, failed}), 2, false), Next::stop);
  EXPECT_EQ(next_of(groups({running, failed}), 2, true), Next::wait);
}

TEST(Course, EndsWhenNoGroupRuns) {
  EXPECT_EQ(next_of(groups({done, done}), 2, false), Next::end);
  EXPECT_EQ(next_of(groups({done, waiting}), 1, false), Next::end);
  EXPECT_EQ(next_of(groups({failed, failed}), 1, true), Next::end);
}

TEST(Course, ExitsWithZeroIfEnoughAreDone) {
  EXPECT_EQ(exit_code(groups({done, failed}), 1, 1), 0);
  EXPECT_EQ(exit_code(groups({done, failed}), 2, 1), 3);
}

TEST(Course, NeverExitsWithZeroIfTooFewAreDone) {
  EXPECT_EQ(exit_code(groups({waiting, failed}), 2, 0), 1);
  EXPECT_EQ(exit_code(groups({failed}), 1, std::nullopt), 1);
}

}  // namespace
}  // namespace muster::groups
