#include "core/request/step_streams.hpp"

#include "core/option/keys.hpp"
#include "core/option/policy.hpp"
#include "core/request/precedence.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace muster::request {
namespace {

const StepStreams terminal{.interactive = true};
const StepStreams file{.elsewhere = "--output"};
const StepStreams pipe{.piped = true};

Request asked(std::optional<std::string_view> option, const Environment& environment = {}) {
  return make_request(merge_sources(option, environment, {}, {}).settings);
}

// A step of a job whose option is `option`.
AdaptedRequest in_job(std::string_view option, const StepStreams& streams,
                      const option::Policy& policy = {}) {
  return adapt_to_streams(asked(option), streams, {{"srun", "-n2", "./x"}, 2}, policy);
}

// A step whose own line has that option.
AdaptedRequest on_line(std::string_view option, const StepStreams& streams) {
  return adapt_to_streams(asked(option), streams,
                          {{"srun", "--distributed=" + std::string(option), "./x"}, 2}, {});
}

TEST(StepStreams, ChangeNothingOnATerminalOrInAFile) {
  for (const StepStreams& streams : {StepStreams{}, pipe, terminal, file}) {
    const auto adapted = in_job("torch", streams);
    EXPECT_EQ(to_option(adapted.request), "torch");
    EXPECT_EQ(adapted.line, "");
  }
  EXPECT_EQ(to_option(in_job("torch,logs=l,restarts=2", {}).request), "torch,restarts=2,logs=l");
}

TEST(StepStreams, OfAShellHaveNothingOfARun) {
  const auto shell = in_job(
      "torch,restarts=3,spares=1,nodes=1:2,drain,preflight=on,hang=30,logs=l,report=r,bind=none",
      terminal);
  EXPECT_EQ(to_option(shell.request), "torch,bind=none");
  EXPECT_EQ(shell.line,
            "--pty: this step runs without restarts=, nodes=, spares=, drain=, preflight=, hang=, "
            "logs=, report=, set for the whole job");
}

TEST(StepStreams, LeaveLogsToSrunsOwnFiles) {
  const auto adapted = in_job("torch,restarts=3,logs=l", file);
  EXPECT_EQ(to_option(adapted.request), "torch,restarts=3");
  EXPECT_EQ(adapted.line, "--output: this step runs without logs=, set for the whole job");
}

TEST(StepStreams, ShowAllRanksToTheReaderOfAPipe) {
  const auto adapted = in_job("torch,logs=l", pipe);
  EXPECT_EQ(to_option(adapted.request), "torch,logs=l,view=all,prefix=none");
  EXPECT_EQ(adapted.line, "");
  EXPECT_EQ(to_option(in_job("torch,logs=l,view=first", pipe).request), "torch,logs=l");
  EXPECT_EQ(to_option(in_job("torch,logs=l,view=none", pipe).request), "torch,logs=l,view=none");
  EXPECT_EQ(to_option(in_job("torch,logs=l,prefix=rank", pipe).request),
            "torch,logs=l,view=all,prefix=rank");
}

TEST(StepStreams, ChangeNothingThatIsOnTheLineItself) {
  for (const StepStreams& streams : {pipe, terminal, file}) {
    const auto adapted = on_line("torch,restarts=3,logs=l", streams);
    EXPECT_EQ(to_option(adapted.request), "torch,restarts=3,logs=l");
    EXPECT_EQ(adapted.line, "");
  }
}

TEST(StepStreams, ChangeAVariablesKeysBesideThoseOfTheLine) {
  const auto request = asked("torch,restarts=3", {{"MUSTER_LOGS", "l"}});
  const auto adapted =
      adapt_to_streams(request, file, {{"srun", "--distributed=torch,restarts=3", "./x"}, 2}, {});
  EXPECT_EQ(to_option(adapted.request), "torch,restarts=3");
}

TEST(StepStreams, ChangeNothingThatTheSiteRules) {
  option::Policy policy;
  policy.fix.emplace(option::Key("logs"), option::Setting{"l", Origin::site, "muster.yaml:1"});
  EXPECT_EQ(to_option(in_job("torch,logs=l", file, policy).request), "torch,logs=l");
  option::Policy forbids;
  forbids.forbid.push_back({option::Key("view"), "all", "muster.yaml:1"});
  EXPECT_EQ(to_option(in_job("torch,logs=l", pipe, forbids).request), "torch,logs=l");
  option::Policy bounds;
  bounds.min.emplace(option::Key("restarts"), option::Setting{"1", Origin::site, "muster.yaml:1"});
  EXPECT_EQ(to_option(in_job("torch,restarts=2", terminal, bounds).request), "torch,restarts=2");
}

}  // namespace
}  // namespace muster::request
