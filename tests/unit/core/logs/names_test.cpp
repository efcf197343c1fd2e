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

TEST(LogDirectory, SaysWhichAttemptItsFolderIsOf) {
  const auto of = [](std::string_view name) { return attempt_of(name); };
  ASSERT_TRUE(of("4711.2-attempt-3"));
  EXPECT_EQ(of("4711.2-attempt-3")->step, "4711.2");
  EXPECT_EQ(of("4711.2-attempt-3")->attempt, 3U);
  EXPECT_EQ(of("4711.2-run-5-attempt-0")->slurm_restarts, 5U);
  for (const auto* const other :
       {"", "latest", "4711.2-attempt-", "-attempt-1", "4711.2-attempt-01",
        "4711.2-run-0-attempt-1", "4711.2-attempt-1x", "4711.2-run-x-attempt-1"}) {
    EXPECT_FALSE(of(other)) << other;
  }
}

TEST(LogFile, OfARanksTimesIsToldFromItsOutput) {
  EXPECT_EQ(times_name(12), "rank-12.times");
  EXPECT_EQ(rank_of_times("rank-12.times"), 12U);
  EXPECT_FALSE(rank_of("rank-12.times"));
  for (const auto* const other :
       {"", "rank-.times", "rank-01.times", "rank-1.out", "rank-1.times.times"}) {
    EXPECT_FALSE(rank_of_times(other)) << other;
  }
}

TEST(LogFile, SaysWhoseItIs) {
  ASSERT_TRUE(rank_of("rank-12.err"));
  EXPECT_EQ(rank_of("rank-12.err")->rank, 12U);
  EXPECT_EQ(rank_of("rank-12.err")->stream, Stream::error);
  EXPECT_EQ(rank_of("rank-0.out")->stream, Stream::output);
  for (const auto* const other :
       {"", "rank-.out", "rank-01.out", "rank-1.txt", "rank-1", "rank--1.out", "arank-1.out"}) {
    EXPECT_FALSE(rank_of(other)) << other;
  }
}

}  // namespace
}  // namespace muster::logs
