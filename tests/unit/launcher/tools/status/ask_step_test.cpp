#include "launcher/tools/status/ask_step.hpp"

#include <gtest/gtest.h>

namespace muster::status {
namespace {

constexpr auto batch =
    "JobId=7 JobName=train UserId=alice(1000) GroupId=users(100) JobState=RUNNING BatchFlag=1 "
    "BatchHost=node1 AllocNode:Sid=login:123\n";
constexpr auto interactive =
    "JobId=7 JobName=train UserId=alice(1000) JobState=RUNNING BatchFlag=0 BatchHost=node1 "
    "AllocNode:Sid=login.site:123\n";

std::string refusal_of(std::string_view line, const std::string& uid, const std::string& host) {
  return refusal("7", slurm::job_from_text(line, "7"), uid, host);
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(AskStepTest, ABatchJobOfOnesOwnIsAskedOnItsBatchHost) {
  EXPECT_EQ(refusal_of(batch, "1000", "login"), "");
}

TEST(AskStepTest, AnotherUsersJobIsNotAsked) {
  EXPECT_EQ(refusal_of(batch, "1001", "login"),
            "job 7 belongs to alice; you can only look at your own steps");
  EXPECT_EQ(refusal_of(with(batch, "alice(1000)", "1000(4)"), "1000", "login"),
            "job 7 belongs to 1000; you can only look at your own steps");
}

TEST(AskStepTest, AJobThatDoesNotRunIsSaidToBe) {
  EXPECT_EQ(refusal_of(with(batch, "RUNNING", "COMPLETED"), "1000", "login"),
            "job 7 is not running (it is COMPLETED); if it has run, the reports of its steps "
            "say what happened");
  EXPECT_EQ(refusal_of("slurm_load_jobs error: Invalid job id specified\n", "1000", "login"),
            "Slurm does not know job 7; see `squeue --me`");
}

TEST(AskStepTest, AComponentOfAHeterogeneousJobIsItsLeaders) {
  const auto part = with(interactive, "\n", " HetJobId=6 HetJobOffset=1\n");
  EXPECT_EQ(refusal_of(part, "1000", "login"),
            "job 7 is part of the heterogeneous job 6; use 6 instead of 7");
  EXPECT_NE(refusal_of(with(interactive, "\n", " HetJobId=7 HetJobOffset=0\n"), "1000", "login"),
            refusal_of(part, "1000", "login"));
}

TEST(AskStepTest, AnSrunAtAPromptIsAskedWhereItWasTyped) {
  EXPECT_EQ(refusal_of(interactive, "1000", "elsewhere"),
            "job 7's srun runs on another host; run muster status there: login.site");
  EXPECT_NE(refusal_of(interactive, "1000", "login").find("supervise=off"), std::string::npos);
  EXPECT_NE(refusal_of(batch, "1000", "node1.site").find("supervise=off"), std::string::npos);
}

}  // namespace
}  // namespace muster::status
