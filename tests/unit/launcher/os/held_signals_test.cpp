#include "launcher/os/held_signals.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

HeldSignals::Clock::time_point in(std::chrono::milliseconds time) {
  return HeldSignals::Clock::now() + time;
}

TEST(HeldSignals, WaitForWhoTakesThem) {
  const HeldSignals signals;
  EXPECT_EQ(signals.take_until(in(0ms)), std::nullopt);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2}) {
    kill(getpid(), signal);
    EXPECT_EQ(signals.take_until(in(20s)), signal);
  }
  EXPECT_EQ(signals.take_until(in(1ms)), std::nullopt);
}

TEST(HeldSignals, EndAWaitAndStayUntilTheyAreTaken) {
  const HeldSignals signals;
  EXPECT_FALSE(interrupted_before(in(1ms), signals.descriptor()));
  EXPECT_FALSE(interrupted_before(in(1ms), -1));
  kill(getpid(), SIGTERM);
  EXPECT_TRUE(interrupted_before(HeldSignals::Clock::time_point::min(), signals.descriptor()));
  EXPECT_TRUE(interrupted_before(in(1h), signals.descriptor()));
  EXPECT_EQ(signals.take_until(HeldSignals::Clock::time_point::min()), SIGTERM);
}

TEST(HeldSignals, ComeLaterWhereNobodyHasTakenThem) {
  EXPECT_EXIT(
      {
        HeldSignals signals;
        kill(getpid(), SIGTERM);
        signals.let_through();
        std::_Exit(0);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(HeldSignals, LeaveTheMaskAsItWas) {
  sigset_t before;
  sigset_t after;
  sigprocmask(SIG_SETMASK, nullptr, &before);
  {
    const HeldSignals signals;
    EXPECT_EQ(sigismember(&signals.mask_before(), SIGTERM), sigismember(&before, SIGTERM));
  }
  sigprocmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal)) << signal;
  }
}

// Under nohup a hang-up does not concern the training job.
TEST(HeldSignals, AreNotThoseThatThisProcessIgnores) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        const HeldSignals signals;
        kill(getpid(), SIGHUP);
        std::_Exit(signals.take_until(in(1ms)) ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace muster::os
