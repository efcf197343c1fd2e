#include "worker/stop/signal_names.hpp"

#include "worker/error.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::worker::stop {
namespace {

using testing::ElementsAre;

TEST(StopSignalNames, AreSlurmsInEitherCaseAndWithOrWithoutSig) {
  EXPECT_THAT(signals_named("USR1,sigterm,SIGInt", "here"), ElementsAre(SIGUSR1, SIGTERM, SIGINT));
}

TEST(StopSignalNames, CountOnce) {
  EXPECT_THAT(signals_named("USR2,SIGUSR2,usr2", "here"), ElementsAre(SIGUSR2));
}

TEST(StopSignalNames, AreUsr1AndTermWhereTheUserNamesNone) {
  EXPECT_THAT(signals_of(Environment{}), ElementsAre(SIGUSR1, SIGTERM));
  EXPECT_THAT(signals_of(Environment{{{"MUSTER_STOP_SIGNALS", ""}}}),
              ElementsAre(SIGUSR1, SIGTERM));
}

TEST(StopSignalNames, AreThoseOfTheVariable) {
  EXPECT_THAT(signals_of(Environment{{{"MUSTER_STOP_SIGNALS", "HUP,XCPU"}}}),
              ElementsAre(SIGHUP, SIGXCPU));
}

class StopSignalRefused : public testing::TestWithParam<const char*> {};

TEST_P(StopSignalRefused, NamesTheSourceAndTheWord) {
  try {
    signals_named(GetParam(), "MUSTER_STOP_SIGNALS");
    FAIL() << GetParam();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_ARGUMENT);
    EXPECT_THAT(error.what(), testing::StartsWith("MUSTER_STOP_SIGNALS: '"));
    EXPECT_THAT(error.what(), testing::HasSubstr("use one or more of HUP, INT, QUIT, USR1"));
  }
}

INSTANTIATE_TEST_SUITE_P(Words, StopSignalRefused,
                         testing::Values("", "KILL", "SEGV", "10", "USR1,", ",TERM", "USR1 TERM",
                                         "SIG", "SIGSIGTERM"));

TEST(StopSignalNames, AreCutInTheLineOfAnError) {
  try {
    signals_named(std::string(100'000, 'x'), "here");
    FAIL();
  } catch (const Error& error) {
    EXPECT_LT(std::string{error.what()}.size(), 300u);
  }
}

}  // namespace
}  // namespace muster::worker::stop
