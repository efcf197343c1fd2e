#include "core/logs/names.hpp"

#include "core/error.hpp"

#include <gtest/gtest.h>

namespace muster::logs {
namespace {

const AttemptName third{.step = "4711.2", .attempt = 3, .slurm_restarts = 0};

TEST(LogDirectory, IsAFolderOfTheAttemptWhereTheUserNamesNoPattern) {
  EXPECT_EQ(directory("out", third), "out/4711.2-attempt-3");
  EXPECT_EQ(directory("/scratch/out/", third), "/scratch/out/4711.2-attempt-3");
  EXPECT_EQ(directory("/", third), "/4711.2-attempt-3");
}

TEST(LogDirectory, IsAnotherOneWhenSlurmRunsTheJobAgain) {
  auto again = third;
  again.slurm_restarts = 2;
  EXPECT_EQ(directory("out", again), "out/4711.2-run-2-attempt-3");
  EXPECT_EQ(directory("out/%r", again), "out/2");
}

TEST(LogDirectory, HasWhatStandsForAPattern) {
  EXPECT_EQ(directory("a/%j/%s/%a", third), "a/4711/2/3");
  EXPECT_EQ(directory("%J", third), "4711.2");
}

TEST(LogDirectory, MayHaveAPercentSignInItsName) {
  EXPECT_EQ(directory("100%%", third), "100%/4711.2-attempt-3");
}

TEST(LogDirectory, RefusesAPatternThatDoesNotExist) {
  for (const auto* const wrong : {"out/%t", "out%", "%", "%\x1b", "%N/%j"}) {
    EXPECT_THROW(directory(wrong, third), Error) << wrong;
  }
  try {
    directory("out/%t", third);
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "logs=out/%t: there is no %t; %j is the job, %s the step, %J both, %a the attempt, "
        "%r how often the job ran before, and %% a %");
  }
}

TEST(LogDirectory, RefusesNoName) {
  EXPECT_THROW(directory("", third), Error);
}

TEST(LogFile, IsNamedByRankAndStream) {
  EXPECT_EQ(file_name(0, Stream::output), "rank-0.out");
  EXPECT_EQ(file_name(511, Stream::error), "rank-511.err");
}

}  // namespace
}  // namespace muster::logs
