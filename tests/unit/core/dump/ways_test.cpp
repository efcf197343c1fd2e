#include "core/dump/ways.hpp"

#include <gtest/gtest.h>

namespace muster::dump {
namespace {

using Ways = std::vector<Way>;

Ways ways(char state, SignalUse signal = SignalUse::careful) {
  return ways_to_stacks({.state = state, .answers = true, .py_spy = true, .signal = signal});
}

TEST(WaysToStacks, BeginWithTheOneThatDisturbsNothing) {
  EXPECT_EQ(ways('S'), (Ways{Way::package, Way::py_spy, Way::signal}));
  EXPECT_EQ(ways_to_stacks({.state = 'S', .py_spy = true}), (Ways{Way::py_spy, Way::signal}));
  EXPECT_EQ(ways_to_stacks({.state = 'S'}), (Ways{Way::signal}));
}

TEST(WaysToStacks, HaveNoSignalWhileTheMainThreadComputesUnlessTheStepHangsOrTheUserWantsIt) {
  EXPECT_EQ(ways('R'), (Ways{Way::package, Way::py_spy}));
  EXPECT_EQ(ways('R', SignalUse::hung), (Ways{Way::package, Way::py_spy, Way::signal}));
  EXPECT_EQ(ways('R', SignalUse::only), (Ways{Way::signal}));
}

TEST(WaysToStacks, LeaveASignalPendingInNoProcess) {
  for (const auto use : {SignalUse::careful, SignalUse::hung}) {
    EXPECT_EQ(ways('D', use), (Ways{Way::package, Way::py_spy}));
    EXPECT_EQ(ways('T', use), (Ways{Way::py_spy})) << "its thread is stopped, too";
    EXPECT_EQ(ways('t', use), (Ways{Way::py_spy}));
  }
  EXPECT_EQ(ways('D', SignalUse::only), Ways{});
  EXPECT_EQ(ways('T', SignalUse::only), Ways{});
}

TEST(WaysToStacks, AreNoneIntoAProcessThatHasEnded) {
  for (const char state : {'Z', 'X'}) {
    EXPECT_EQ(ways(state), Ways{});
    EXPECT_EQ(ways(state, SignalUse::only), Ways{});
  }
}

}  // namespace
}  // namespace muster::dump
