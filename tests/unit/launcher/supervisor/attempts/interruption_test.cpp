#include "launcher/supervisor/attempts/interruption.hpp"

#include <chrono>
#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

using namespace std::chrono_literals;
using Clock = Interruption::Clock;

TEST(Interruption, EndsAWaitOnceAndForAll) {
  Interruption interruption(Clock::now());
  EXPECT_FALSE(interruption.before(Clock::now() + 1ms));
  EXPECT_FALSE(interruption.is_there());
  kill(getpid(), SIGINT);
  EXPECT_TRUE(interruption.before(Clock::now() + 1h));
  EXPECT_TRUE(interruption.is_there());
  kill(getpid(), SIGTERM);
  EXPECT_TRUE(interruption.before(Clock::now() + 1h));
  EXPECT_EQ(interruption.exit_code(), 128 + SIGINT);  // the first one counts
  EXPECT_EQ(interruption.why(), "SIGINT arrived between two attempts");
  const os::HeldSignals rest;  // otherwise it would arrive at the end of this test
  EXPECT_EQ(rest.take_until(Clock::now()), SIGTERM);
}

TEST(Interruption, IsAWarningByTheSignalsThatSlurmSendsBeforeTheEnd) {
  for (const auto& [signal, warns] :
       {std::pair(SIGTERM, true), std::pair(SIGUSR1, true), std::pair(SIGUSR2, true),
        std::pair(SIGINT, false), std::pair(SIGHUP, false), std::pair(SIGQUIT, false)}) {
    Interruption interruption(Clock::now());
    kill(getpid(), signal);
    ASSERT_TRUE(interruption.before(Clock::now() + 1h));
    EXPECT_EQ(interruption.is_warning(), warns) << signal;
  }
}

TEST(Interruption, IsInTheReportWhichKeepsTheFailure) {
  Interruption interruption(Clock::now() - 10s);
  kill(getpid(), SIGTERM);
  ASSERT_TRUE(interruption.before(Clock::now() + 1h));
  report::Report failed;
  failed.result = report::Result::failed;
  failed.cause = report::Cause::program;
  failed.exit_code = failed.srun_code = 7;
  const auto report = interruption.in(failed);
  EXPECT_EQ(report.exit_code, 128 + SIGTERM);
  EXPECT_EQ(report.srun_code, 7);
  EXPECT_EQ(report.cause, report::Cause::program);
  ASSERT_EQ(report.signals.size(), 1U);
  EXPECT_EQ(report.signals.front().number, SIGTERM);
  EXPECT_GE(report.signals.front().time.time, 10s);
}

}  // namespace
}  // namespace muster::attempts
