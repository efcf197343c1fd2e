#include "core/logs/names.hpp"

#include "core/error.hpp"

#include <string>

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
  EXPECT_EQ(directory("%j/%r", again), "4711/2-attempt-3");
}

TEST(LogDirectory, HasWhatStandsForAPattern) {
  EXPECT_EQ(directory("a/%j/%s/%a", third), "a/4711/2/3");
  EXPECT_EQ(directory("%J", third), "4711.2");
}

TEST(LogDirectory, MayHaveAPercentSignInItsName) {
  EXPECT_EQ(directory("100%%", third), "100%/4711.2-attempt-3");
}

const AttemptName of_array{.step = "53.2",
                           .attempt = 3,
                           .slurm_restarts = 0,
                           .job = {.number = "53",
                                   .array = "51",
                                   .array_task = "2",
                                   .name = "sweep",
                                   .user = "alice",
                                   .node = "n1"}};

TEST(LogDirectory, HasThePatternsOfSrunsOutput) {
  EXPECT_EQ(directory("x/%A_%a", of_array), "x/51_2/53.2-attempt-3");
  EXPECT_EQ(directory("x/%u/%x-%N", of_array), "x/alice/sweep-n1/53.2-attempt-3");
  EXPECT_EQ(directory("%5j/%3a/%J%0s%99r", of_array), "00053/003/53.220000000000");
  EXPECT_EQ(directory("%A-%5a-%8x%%", of_array), "51-00002-sweep%/53.2-attempt-3");
}

TEST(LogDirectory, HasTheJobsNumberForAnArraysOutsideOfArraysAsInSlurm) {
  EXPECT_EQ(directory("x/%A", third), "x/4711/4711.2-attempt-3");
  EXPECT_EQ(directory("x/%A_%a", third), "x/4711_4294967294/4711.2-attempt-3");
}

// Whatever came before %A stays unchanged.
TEST(LogDirectory, HasTheAttemptForALoneA) {
  EXPECT_EQ(directory("x/%j-%a", of_array), "x/53-3");
}

TEST(LogDirectory, TellsTheAttemptsOfAJobApart) {
  auto attempt = third;
  EXPECT_EQ(directory("logs/%j", attempt), "logs/4711-attempt-3");
  attempt.attempt = 0;
  EXPECT_EQ(directory("logs/%j", attempt), "logs/4711");
}

TEST(LogDirectory, TellsTheRunsOfARequeuedJobApart) {
  auto attempt = third;
  attempt.slurm_restarts = 1;
  EXPECT_EQ(directory("logs/%j", attempt), "logs/4711-run-1-attempt-3");
  EXPECT_EQ(directory("logs/%J", attempt), "logs/4711.2-run-1");
  EXPECT_EQ(directory("logs/%j-%a", attempt), "logs/4711-3-run-1");
  EXPECT_EQ(directory("logs/%J-%r", attempt), "logs/4711.2-1");
  attempt.attempt = 0;
  EXPECT_EQ(directory("logs/%j", attempt), "logs/4711-run-1");
  EXPECT_EQ(directory("logs/%j/", attempt), "logs/4711-run-1");
  EXPECT_EQ(directory("logs/%j/run%r", attempt), "logs/4711/run1");
}

TEST(LogDirectory, TellsTheStepsOfAJobApart) {
  auto attempt = third;
  attempt.beside_other_step = true;
  EXPECT_EQ(directory("logs/%j", attempt), "logs/4711.2-attempt-3");
  EXPECT_EQ(directory("logs/%j-%a", attempt), "logs/4711-3.2");
  EXPECT_EQ(directory("logs/%J", attempt), "logs/4711.2");
  EXPECT_EQ(directory("logs", attempt), "logs/4711.2-attempt-3");
  attempt.attempt = 0;
  EXPECT_EQ(directory("logs/%j", attempt), "logs/4711.2");
  attempt.slurm_restarts = 1;
  EXPECT_EQ(directory("logs/%j", attempt), "logs/4711.2-run-1");
}

TEST(LogDirectory, MayBeTheSameForTwoStepsOfAJob) {
  for (const auto* const logs : {"%j", "logs/%x-%5j", "%j/%a"}) {
    EXPECT_TRUE(names_job_alone(logs)) << logs;
  }
  for (const auto* const logs : {"logs", "%J", "%j/%s", "%A/%j", "%a", "%r"}) {
    EXPECT_FALSE(names_job_alone(logs)) << logs;
  }
}

TEST(LogDirectory, TellsTheAttemptsOfAnEarlierRunsNumberApart) {
  auto attempt = third;
  EXPECT_EQ(directory("out/%r", attempt), "out/0/4711.2-attempt-3");
  attempt.step = "4712.0";
  attempt.attempt = 0;
  EXPECT_EQ(directory("out/%r", attempt), "out/0/4712.0-attempt-0");
  EXPECT_EQ(directory("out/%r/%a", attempt), "out/0/0");
}

TEST(ReportFile, HasThePatternsOfSrunsOutput) {
  EXPECT_EQ(report_file("r/%A_%2a-%x.json", of_array), "r/51_02-sweep.json");
  EXPECT_EQ(report_file("r-%J.json", of_array), "r-53.2.json");
  EXPECT_EQ(report_file("r-%j-%s.json", {.job = {.number = "7"}}), "r-7-.json");
  EXPECT_EQ(report_file("100%%.json", third), "100%.json");
}

std::string refusal(const char* wrong) {
  try {
    directory(wrong, third);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LogDirectory, RefusesAPatternThatDoesNotExist) {
  for (const auto* const wrong : {"out/%t", "out%", "%", "%\x1b", "%n/%j", "%5", "%b", "% j"}) {
    EXPECT_THROW(directory(wrong, third), Error) << wrong;
    EXPECT_THROW(report_file(wrong, third), Error) << wrong;
  }
  EXPECT_EQ(
      refusal("out/%q"),
      "logs=out/%q: there is no pattern %q; use %j (job), %A and %a (an array's job and task), %s "
      "(step), %J (job.step), %x (job name), %u (user), %N (node of the script), %r (earlier runs of "
      "the job) or %% (a %)");
  EXPECT_EQ(
      refusal("out/%t"),
      "logs=out/%t: %t is different for each task, and this name is the same for all; leave it out");
  EXPECT_EQ(refusal("out%"), "logs=out%: a letter is missing after %; write %% for a %");
}

TEST(LogDirectory, RefusesNoName) {
  EXPECT_THROW(directory("", third), Error);
}

TEST(LogFile, IsNamedByRankAndStream) {
  EXPECT_EQ(file_name(0, Stream::out), "rank-0.out");
  EXPECT_EQ(file_name(511, Stream::err), "rank-511.err");
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

TEST(LogFile, IsToldFromOtherFiles) {
  for (const auto* const own : {"plan.json", "report.json", "rank-0.err"}) {
    EXPECT_TRUE(is_of_attempt(own)) << own;
  }
  for (const auto* const other : {"config.yaml", "rank-0", ".reserved", ""}) {
    EXPECT_FALSE(is_of_attempt(other)) << other;
  }
}

TEST(LogFile, SaysWhoseItIs) {
  ASSERT_TRUE(rank_of("rank-12.err"));
  EXPECT_EQ(rank_of("rank-12.err")->rank, 12U);
  EXPECT_EQ(rank_of("rank-12.err")->stream, Stream::err);
  EXPECT_EQ(rank_of("rank-0.out")->stream, Stream::out);
  for (const auto* const other :
       {"", "rank-.out", "rank-01.out", "rank-1.txt", "rank-1", "rank--1.out", "arank-1.out"}) {
    EXPECT_FALSE(rank_of(other)) << other;
  }
}

}  // namespace
}  // namespace muster::logs
