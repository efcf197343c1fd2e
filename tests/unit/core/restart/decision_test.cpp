#include "core/restart/decision.hpp"

#include "past_attempts.hpp"
#include "unit/core/report/made_up_step.hpp"

#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using report::Cause;
using report::Result;

// A report about rank 1's end, a minute after the start.
report::Report report_of(std::int32_t wait_status) {
  auto record = report::made_up_step(2, 1);
  record.srun_wait_status = report::exited(1);
  report::add_end(record, 1, wait_status, report::at(61s));
  return make_report(record, {});
}

report::Report report_of(Result result, Cause cause) {
  auto report = report_of(report::exited(1));
  report.result = result;
  report.cause = cause;
  return report;
}

Decision after_attempts(std::uint32_t attempts, const Rules& rules,
                        const report::Report& last = report_of(report::exited(1))) {
  std::vector<AttemptHistory> past;
  while (past.size() < attempts) add_attempt(past, 1h);
  return decide(rules, past, last);
}

TEST(Decide, GoesOnAtOnceAfterAFailure) {
  EXPECT_EQ(after_attempts(1, {.restarts = 3}), (Decision{true, "", 0s}));
  EXPECT_EQ(after_attempts(3, {.restarts = 3}), (Decision{true, "", 0s}));
}

TEST(Decide, EndsWhenTheRestartsAreUsedUp) {
  EXPECT_EQ(after_attempts(4, {.restarts = 3}),
            (Decision{false, "all 3 restarts are used up", {}}));
  EXPECT_EQ(after_attempts(2, {.restarts = 1}),
            (Decision{false, "the only restart is used up", {}}));
}

TEST(Decide, HasNoWordsWhereNobodyAskedForRestarts) {
  EXPECT_EQ(after_attempts(1, {}), Decision{});
  EXPECT_EQ(after_attempts(1, {}, report_of(report::exited(93))), Decision{});
}

TEST(Decide, EndsAfterSuccess) {
  const auto record = report::made_up_step(2, 1);
  EXPECT_EQ(after_attempts(1, {.restarts = 3}, make_report(record, {})), Decision{});
}

TEST(Decide, EndsWhereSomebodyWantedTheEnd) {
  for (const auto& report : {
           report_of(Result::cancelled, Cause::user),
           report_of(Result::cancelled, Cause::slurm),
           report_of(Result::failed, Cause::slurm),
           report_of(Result::timeout, Cause::time_limit),
           report_of(Result::preempted, Cause::preemption),
       }) {
    EXPECT_EQ(after_attempts(1, {.restarts = 3}, report), Decision{});
  }
}

TEST(Decide, GoesOnAfterALostNodeAndASignalOfUnknownOrigin) {
  EXPECT_TRUE(after_attempts(1, {.restarts = 1}, report_of(Result::failed, Cause::node)).again);
  EXPECT_TRUE(after_attempts(1, {.restarts = 1}, report_of(SIGKILL)).again);
}

TEST(Decide, EndsAfterALaunchThatFailsOnlyWhileNoRankHasEverStarted) {
  const auto report = report_of(Result::failed, Cause::launch);
  std::vector<AttemptHistory> past;
  add_attempt(past, 0s).first_start.reset();
  past.back().cause = Cause::launch;
  EXPECT_EQ(decide({.restarts = 3}, past, report), Decision{});
  past.clear();
  add_attempt(past, 1h);
  add_attempt(past, 0s).first_start.reset();
  past.back().cause = Cause::launch;
  EXPECT_TRUE(decide({.restarts = 3}, past, report).again);
}

TEST(Decide, EndsAfterAnExitCodeThatForbidsIt) {
  const Rules rules{.restarts = 3, .norestart = {3, 93, 137}};
  EXPECT_EQ(after_attempts(1, rules, report_of(report::exited(93))),
            (Decision{false, "exit code 93 ends the run (norestart=)", {}}));
  EXPECT_EQ(after_attempts(1, rules, report_of(SIGKILL)).why,
            "exit code 137 ends the run (norestart=)");
  EXPECT_TRUE(after_attempts(1, rules, report_of(report::exited(4))).again);
  EXPECT_TRUE(after_attempts(1, {3, {}}, report_of(report::exited(93))).again);
}

TEST(Decide, HeedsARankThatForbidsItInTheInstantOfAnothersFailure) {
  auto record = report::made_up_step(2, 1);
  report::add_end(record, 0, report::exited(1), report::at(61s, 1ms));
  report::add_end(record, 1, report::exited(93), report::at(61s + 500us, 1ms));
  const auto report = make_report(record, {});
  ASSERT_EQ(report.others.size(), 1U);
  EXPECT_FALSE(after_attempts(1, {.restarts = 3}, report).again);
}

TEST(Decide, EndsWhereTheJobHasNoNodesLeft) {
  auto report = report_of(Result::failed, Cause::node);
  report.slurm.job_state = "NODE_FAIL";
  EXPECT_EQ(after_attempts(1, {.restarts = 3}, report).why, "the Slurm job has ended (NODE_FAIL)");
  report.slurm.job_state = "RUNNING";
  EXPECT_TRUE(after_attempts(1, {.restarts = 3}, report).again);
}

TEST(Decide, WaitsLongerTheMoreAttemptsDieYoung) {
  const Rules rules{.restarts = 100};
  const auto report = report_of(report::exited(1));
  std::vector<AttemptHistory> past;
  add_attempt(past, 1h);
  for (const auto pause : {0s, 1s, 2s, 4s, 8s, 16s, 30s, 30s, 30s}) {
    add_attempt(past, 9s);
    EXPECT_EQ(decide(rules, past, report).pause, pause) << past.size();
  }
  EXPECT_EQ(decide(rules, past, report).why,
            "9 attempts in a row ended within 10 s of their start");
  add_attempt(past, 10s);
  EXPECT_EQ(decide(rules, past, report), (Decision{true, "", 0s}));
}

TEST(Decide, CountsAnAttemptThatNeverStartedAsYoungAndOneThatLostANodeNot) {
  const Rules rules{.restarts = 100};
  std::vector<AttemptHistory> past;
  add_attempt(past, 1h);
  add_attempt(past, 1s);
  AttemptHistory& second = add_attempt(past, 60s);
  second.first_start.reset();
  second.cause = Cause::launch;
  EXPECT_EQ(decide(rules, past, report_of(Result::failed, Cause::launch)).pause, 1s);
  second.first_start = second.failed - 1s;
  second.cause = Cause::program;
  EXPECT_EQ(decide(rules, past, report_of(report::exited(1))).pause, 1s);
  second.cause = Cause::node;
  EXPECT_EQ(decide(rules, past, report_of(Result::failed, Cause::node)).pause, 0s);
}

std::vector<AttemptHistory> with_progress(const std::vector<std::string>& values) {
  std::vector<AttemptHistory> past;
  for (const auto& value : values) add_attempt(past, 1h).progress = value;
  return past;
}

TEST(Decide, EndsAfterThreeAttemptsInARowWithoutProgress) {
  const auto why = [](const std::vector<std::string>& values) {
    return decide({.restarts = 100}, with_progress(values), report_of(report::exited(1))).why;
  };
  EXPECT_EQ(why({"", "", ""}), "3 attempts in a row made no progress");
  EXPECT_EQ(why({"100", "100", "100"}), "");
  EXPECT_EQ(why({"100", "100", "100", "100"}), "3 attempts in a row made no progress");
  EXPECT_EQ(why({"100", "100", "200", "200"}), "");
  EXPECT_EQ(why({"", "", "1"}), "");
}

TEST(Decide, WantsNoProgressOfAnAttemptThatFoundItsPortTaken) {
  auto past = with_progress({"1", "1", "1", "1"});
  past[2].port_taken = true;
  EXPECT_TRUE(decide({.restarts = 100}, past, report_of(report::exited(1))).again);
}

TEST(Decide, HeedsNoProgressWhereTheUserNamesNoFile) {
  std::vector<AttemptHistory> past;
  for (int i = 0; i < 50; ++i) add_attempt(past, 1h);
  EXPECT_TRUE(decide({.restarts = 100}, past, report_of(report::exited(1))).again);
}

TEST(PastOf, KeepsWhatTheDecisionNeeds) {
  auto record = report::made_up_step(2, 1);
  record.attempt = 4;
  record.launched = report::at(500ms);
  report::add_end(record, 1, SIGSEGV, report::at(61s));
  auto past = history_of(make_report(record, {}), "7", cost::Progress({{30s, 7}}));
  const cost::Attempt cost{.launched = 500ms,
                           .all_started = 1s,
                           .ceased = 61s,
                           .over = 20s,
                           .progress = cost::Progress({{30s, 7}})};
  EXPECT_EQ(past.cost, cost);
  past.cost.reset();
  EXPECT_EQ(past, (AttemptHistory{4, Result::failed, Cause::signal, 139, "node2", 500ms, 1s, 61s,
                                  20s, "7"}));
}

TEST(PastOf, NamesTheLostNode) {
  auto record = report::made_up_step(2, 1);
  record.srun_wait_status = report::exited(1);
  record.nodes[1].state = report::NodeState::lost;
  record.nodes[1].last_word = report::at(5s);
  const auto past = history_of(make_report(record, {}), {});
  EXPECT_EQ(past.first_node, "node2");
  EXPECT_EQ(past.failed, 5s);
  EXPECT_EQ(past.exit_code, 1);
}

TEST(PastOf, NamesTheNodeThatHeldTheOthersUpAndADecisionGoesOn) {
  auto record = report::made_up_step(2, 1);
  record.hang = report::Hang{report::at(5min), "rank 1 on node2: waiting", "node2", "here"};
  record.ending = report::at(15min);
  record.over = report::at(16min);
  const auto report = make_report(record, {});
  const auto past = history_of(report, {});
  EXPECT_EQ(past.first_node, "node2");
  EXPECT_EQ(past.failed, 5min);
  EXPECT_EQ(past.exit_code, 1);
  EXPECT_TRUE(decide({.restarts = 1}, std::vector{past}, report).again);
}

TEST(Decide, CountsNoRestartForThreeLaunchesThatSlurmRefusesOnceARankHasRun) {
  const Rules rules{.restarts = 1};
  std::vector<AttemptHistory> past;
  add_attempt(past, 60s);
  const auto refused_report = report_of(Result::failed, Cause::launch);
  for (int refused = 1; refused <= 4; ++refused) {
    AttemptHistory& attempt = add_attempt(past, 0s);
    attempt.cause = Cause::launch;
    attempt.first_start.reset();
    EXPECT_EQ(decide(rules, past, refused_report).again, refused <= 3) << refused << " refused";
  }
}

TEST(Decide, CountsSuchLaunchesAnewOnceARankHasRunAgain) {
  const Rules rules{.restarts = 2};
  std::vector<AttemptHistory> past;
  for (int round = 0; round < 2; ++round) {
    add_attempt(past, 60s);
    for (int refused = 0; refused < 3; ++refused) {
      AttemptHistory& attempt = add_attempt(past, 0s);
      attempt.cause = Cause::launch;
      attempt.first_start.reset();
      EXPECT_TRUE(decide(rules, past, report_of(Result::failed, Cause::launch)).again);
    }
  }
  EXPECT_EQ(after_attempts(3, rules).why, "all 2 restarts are used up");
}

TEST(Decide, CountsNoRestartForAPortThatIsTakenThreeTimesInARow) {
  const Rules rules{.restarts = 1};
  const auto report = report_of(report::exited(1));
  std::vector<AttemptHistory> past;
  for (int taken = 1; taken <= 5; ++taken) {
    add_attempt(past, 60s).port_taken = true;
    EXPECT_EQ(decide(rules, past, report).again, taken <= 4) << taken << " taken";
  }
}

TEST(PastOf, KnowsAPortThatWasTakenAtTheStart) {
  const auto taken = [](const std::string& message, std::chrono::nanoseconds raised) {
    auto record = report::made_up_step(2, 1);
    record.srun_wait_status = report::exited(1);
    report::add_exception(record, 0, message, report::at(raised));
    return history_of(make_report(record, {}), {}).port_taken;
  };
  EXPECT_TRUE(
      taken("RuntimeError: The server socket has failed to listen on any local network "
            "address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: "
            "address already in use",
            5s));
  EXPECT_TRUE(taken("OSError: [Errno 98] Address already in use", 5s));
  EXPECT_FALSE(taken("OSError: [Errno 98] Address already in use", 200s));
  EXPECT_FALSE(taken("RuntimeError: boom", 5s));
}

TEST(PastOf, KnowsAPortThatWasTakenByTheLastLines) {
  auto record = report::made_up_step(2, 1);
  record.srun_wait_status = report::exited(1);
  report::add_end(record, 0, report::exited(1), report::at(5s)).last_lines = {
      "bind: Address already in use", "giving up"};
  EXPECT_TRUE(history_of(make_report(record, {}), {}).port_taken);
}

}  // namespace
}  // namespace muster::restart
