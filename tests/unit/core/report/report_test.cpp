#include "core/report/report.hpp"

#include "core/report/exit_status.hpp"
#include "core/report/summary.hpp"
#include "core/report/text.hpp"
#include "made_up_step.hpp"

#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

Report of(const Record& record) {
  return make_report(record, {});
}

// Two nodes of four ranks, which srun has ended with 143.
Record failed_step() {
  Record record = made_up_step(2, 4);
  record.srun_wait_status = exited(143);
  return record;
}

std::vector<std::uint32_t> ranks_of(const Report& report, VictimKind kind) {
  for (const auto& victims : report.victims) {
    if (victims.kind == kind) return victims.ranks;
  }
  return {};
}

using Ranks = std::vector<std::uint32_t>;

TEST(Report, OfAStepInWhichAllRanksEndWithZeroIsOk) {
  Record record = made_up_step(1, 2);
  add_success(record, 0, at(3s));
  add_success(record, 1, at(3s));
  const Report report = of(record);
  EXPECT_EQ(report.result, Result::ok);
  EXPECT_EQ(report.cause, std::nullopt);
  EXPECT_EQ(report.first, std::nullopt);
  EXPECT_EQ(report.exit_code, 0);
}

// The agent there has the step cancelled when one of its ranks fails.
TEST(Report, NamesNoRankOfTheOthersWhereANodeThatNobodyHeardMayBeTheCause) {
  Record record = made_up_step(3, 2);
  record.srun_wait_status = exited(137);
  record.nodes[1].state = NodeState::silent;
  record.nodes[1].tasks = 0;
  record.nodes[1].started.reset();
  for (const std::uint32_t rank : {0, 1, 4, 5}) add_end(record, rank, signalled(SIGKILL), at(5s));
  const Report report = of(record);
  EXPECT_EQ(report.first, std::nullopt);
  EXPECT_EQ(report.cause, Cause::slurm);
}

// Slurm sends SIGTERM to all ranks; one exits with its own code.
Record step_ended_after(std::chrono::nanoseconds time) {
  Record record = failed_step();
  record.created = at(500ms);
  record.time_limit = 1min;
  record.over = at(time + 1s);
  add_end(record, 3, exited(3), at(time - 10ms));
  for (const std::uint32_t rank : {0, 1, 2, 4, 5, 6, 7}) {
    add_end(record, rank, signalled(SIGTERM), at(time));
  }
  return record;
}

// It is no success if programs end well on SIGTERM.
TEST(Report, OfAHangSaysSinceWhenAndWhoHoldsTheOthersUp) {
  for (const int status : {exited(0), exited(143)}) {
    Record record = failed_step();
    record.srun_wait_status = status;
    record.hang = Hang{at(60s), "rank 3 on node1: waiting", "node1", "here"};
    record.ending = at(660s);
    record.over = at(661s);
    for (std::uint32_t rank = 0; rank < 8; ++rank) add_victim(record, rank, at(661s));
    const Report report = of(record);
    EXPECT_EQ(report.result, Result::failed);
    EXPECT_EQ(report.cause, Cause::hang);
    EXPECT_EQ(report.exit_code, 1);
    EXPECT_EQ(make_report(record, {.exit_of_srun = true}).exit_code, status == 0 ? 1 : 143);
    EXPECT_EQ(report.first, std::nullopt);
    EXPECT_EQ(report.times.failure, at(60s));
    EXPECT_EQ(summary(report), "no rank made progress for 10 min: rank 3 on node1: waiting");
  }
}

TEST(Report, OfAHangThatItsUserEndsFirstIsTheUsers) {
  Record record = failed_step();
  record.hang = Hang{at(60s), "", "", ""};
  record.signals = {{SIGINT, at(65s)}};
  EXPECT_EQ(of(record).cause, Cause::user);
  EXPECT_EQ(of(record).hang, std::nullopt);
}

// With hang= alone, the step is ended by somebody else, and the ranks did not run since the hang began.
TEST(Report, OfAStepThatWasEndedInAHangSaysThatNothingMoved) {
  Record record = failed_step();
  record.standstill = Hang{at(60s), "rank 3 on node1: waiting", "node1", "here"};
  record.signals = {{SIGINT, at(660s)}};
  record.over = at(660s);
  const auto report = of(record);
  EXPECT_EQ(report.cause, Cause::user);
  EXPECT_EQ(report.hang, record.standstill);
  EXPECT_EQ(report.times.failure, at(60s));
  EXPECT_EQ(
      summary(report),
      "this srun was sent SIGINT (Ctrl-C); no rank made progress for 10 min: rank 3 on node1: waiting");
  EXPECT_NE(to_text(report, {}).find("dump      : here"), std::string::npos);
}

TEST(Report, OfAStepThatEndedWellHasNoHang) {
  Record record = made_up_step(1, 2);
  record.standstill = Hang{at(1s), "rank 1: waiting", "node1", ""};
  EXPECT_EQ(of(record).result, Result::ok);
  EXPECT_EQ(of(record).hang, std::nullopt);
}

TEST(Report, OfAStepThatSlurmEndedAtItsOwnTimeLimitNamesNoRank) {
  const Report report = of(step_ended_after(75s));
  EXPECT_EQ(report.result, Result::timeout);
  EXPECT_EQ(report.cause, Cause::time_limit);
  EXPECT_EQ(report.first, std::nullopt);
  EXPECT_EQ(report.exit_code, 143);
  EXPECT_EQ(summary(report), "the step reached its time limit (--time)");
}

TEST(Report, OfAStepThatEndsBeforeItsTimeLimitIsOfARank) {
  const Report report = of(step_ended_after(58s));
  EXPECT_EQ(report.cause, Cause::program);
}

TEST(Report, OfAStepThatSlurmsClockOfSecondsEndsEarlyNamesTheTimeLimit) {
  EXPECT_EQ(of(step_ended_after(59900ms)).cause, Cause::time_limit);
}

TEST(Report, OfAStepWhoseTimeLimitOrCreationIsUnknownIsOfARank) {
  Record record = step_ended_after(75s);
  record.time_limit.reset();
  EXPECT_EQ(of(record).cause, Cause::program);
  record = step_ended_after(75s);
  record.created.reset();
  EXPECT_EQ(of(record).cause, Cause::program);
}

TEST(Report, OfARankThatRaisesAfterTheTimeLimitIsOfThatRank) {
  Record record = step_ended_after(75s);
  record.ends.front().exception = Exception{"ValueError: boom", {}, at(74s)};
  const Report report = of(record);
  EXPECT_EQ(report.cause, Cause::program);
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.first->end.place.rank, 3U);
}

TEST(Report, OfAStepWhoseRanksAllLeaveWellAtTheTimeLimitNamesIt) {
  Record record = made_up_step(1, 2);
  record.created = at(0s);
  record.time_limit = 1min;
  record.over = at(70s);
  record.srun_wait_status = exited(143);
  for (const std::uint32_t rank : {0, 1}) add_success(record, rank, at(70s));
  EXPECT_EQ(of(record).cause, Cause::time_limit);
}

TEST(Report, NamesTheEarliestFailureOverAllNodes) {
  Record record = failed_step();
  add_end(record, 1, exited(3), at(5010ms, 100us));
  add_end(record, 6, exited(7), at(5s, 100us));
  for (const std::uint32_t rank : {0, 2, 3, 4, 5, 7}) add_victim(record, rank, at(5100ms));
  const Report report = of(record);
  EXPECT_EQ(report.result, Result::failed);
  EXPECT_EQ(report.cause, Cause::program);
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.first->end.place.rank, 6U);
  EXPECT_EQ(report.first->node, "node2");
  EXPECT_EQ(report.exit_code, 7);
  EXPECT_EQ(ranks_of(report, VictimKind::ended_by_muster), (Ranks{0, 2, 3, 4, 5, 7}));
  EXPECT_EQ(ranks_of(report, VictimKind::later_failure), Ranks{1});
  EXPECT_TRUE(report.others.empty());
}

TEST(Report, TakesTheExceptionsTimeAndNotTheProcesss) {
  Record record = failed_step();
  add_exception(record, 2, "RuntimeError: boom", at(5s)).time = at(9s);
  add_end(record, 5, exited(9), at(6s));
  EXPECT_EQ(of(record).first->end.place.rank, 2U);
  EXPECT_EQ(of(record).times.failure, at(5s));
}

TEST(Report, TrustsNoExceptionFromBeforeTheLaunchOrAfterTheEnd) {
  for (const auto raised : {-5s, 12s}) {
    Record record = failed_step();
    add_exception(record, 2, "RuntimeError: boom", at(raised)).time = at(9s);
    EXPECT_EQ(of(record).first->time, at(9s));
  }
}

TEST(Report, ListsWhatTheClocksCannotTellApart) {
  Record record = failed_step();
  add_end(record, 1, exited(3), at(5s, 3ms));
  add_end(record, 6, exited(7), at(5005ms, 3ms));
  add_end(record, 7, exited(8), at(5007ms, 3ms));
  const Report report = of(record);
  EXPECT_EQ(report.first->end.place.rank, 1U);
  ASSERT_EQ(report.others.size(), 1U);
  EXPECT_EQ(report.others.front().end.place.rank, 6U);
  EXPECT_EQ(ranks_of(report, VictimKind::later_failure), Ranks{7});
}

// Its clock is wrong by the same amount for both.
TEST(Report, TellsTheRanksOfOneNodeApartWhateverItsClock) {
  Record record = failed_step();
  add_end(record, 1, exited(3), at(5s, 100ms));
  add_end(record, 2, exited(7), at(5001ms, 100ms));
  EXPECT_TRUE(of(record).others.empty());
}

TEST(Report, TakesARankThatBlamesAPeerForAVictimEvenWhereItEndsFirst) {
  Record record = failed_step();
  add_lost_peer(record, 0, at(5s));
  add_end(record, 6, exited(7), at(8s));  // its teardown took three seconds
  const Report report = of(record);
  EXPECT_EQ(report.first->end.place.rank, 6U);
  EXPECT_EQ(report.exit_code, 7);
  EXPECT_EQ(ranks_of(report, VictimKind::lost_peer), Ranks{0});
}

TEST(Report, TakesNoFailureLongAfterALostPeerForItsCause) {
  Record record = failed_step();
  add_lost_peer(record, 0, at(5s));
  add_end(record, 6, exited(7), at(16s));
  const Report report = of(record);
  EXPECT_EQ(report.first->end.place.rank, 0U);
  EXPECT_TRUE(report.first->lost_peer);
}

// Its sockets close, and its peers end without giving a reason, before its end is noticed.
TEST(Report, PrefersACrashToExitCodesOfTheSameInstantThatSayNothing) {
  Record record = failed_step();
  add_end(record, 0, exited(1), at(5s));
  add_end(record, 6, signalled(SIGSEGV), at(5s + 20ms));
  EXPECT_EQ(of(record).first->end.place.rank, 6U);
  record.ends[0].last_lines = {"ValueError: boom"};
  EXPECT_EQ(of(record).first->end.place.rank, 0U);
  record.ends[0].last_lines.clear();
  record.ends[1].time = at(5s + 200ms);
  EXPECT_EQ(of(record).first->end.place.rank, 0U);
  record.ends[1].time = at(5s + 20ms);
  record.ends[1].wait_status = signalled(SIGKILL);
  EXPECT_EQ(of(record).first->end.place.rank, 6U);
  record.ends[1].wait_status = signalled(SIGABRT);  // raised by a library
  EXPECT_EQ(of(record).first->end.place.rank, 0U);
}

TEST(Report, NamesARankThatLeftWithZeroBeforeTheOthersFailed) {
  Record record = failed_step();
  add_success(record, 3, at(4s));
  for (const std::uint32_t rank : {0, 1, 2, 4, 5, 6, 7}) add_lost_peer(record, rank, at(5s));
  const Report report = of(record);
  EXPECT_EQ(report.cause, Cause::program);
  ASSERT_EQ(report.left_early.size(), 1U);
  EXPECT_EQ(report.left_early.front().end.place.rank, 3U);
  EXPECT_EQ(ranks_of(report, VictimKind::lost_peer).size(), 6U);
}

// Its sockets close first.
TEST(Report, NamesARankThatLeftWhoseProcessEndedAfterItsPeersHadFailed) {
  Record record = failed_step();
  add_lost_peer(record, 0, at(5s));
  add_success(record, 3, at(5s + 300ms));
  add_success(record, 4, at(7s));
  ASSERT_EQ(of(record).left_early.size(), 1U);
  EXPECT_EQ(of(record).left_early.front().end.place.rank, 3U);
}

TEST(Report, NamesAFewThatLeftBeforeAFailureThatBlamesNobody) {
  Record record = failed_step();
  add_success(record, 3, at(4s));
  add_success(record, 4, at(5500ms));
  add_end(record, 6, exited(7), at(6s));
  for (const std::uint32_t rank : {0, 1, 2, 5, 7}) add_victim(record, rank, at(7s));
  ASSERT_EQ(of(record).left_early.size(), 1U);
  EXPECT_EQ(of(record).left_early.front().end.place.rank, 3U);
}

TEST(Report, TakesTheUsualEndOfTheOthersForNoEarlyLeave) {
  Record record = failed_step();
  for (std::uint32_t rank = 0; rank < 7; ++rank) add_success(record, rank, at(4s));
  add_end(record, 7, exited(1), at(19s));
  EXPECT_TRUE(of(record).left_early.empty());
}

TEST(Report, FoldsTheSameFailureOfLaterRanks) {
  Record record = failed_step();
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    add_exception(record, rank, "ModuleNotFoundError: No module named 'x'", at(1s + 20ms * rank));
  }
  EXPECT_EQ(ranks_of(of(record), VictimKind::same_failure), (Ranks{1, 2, 3, 4, 5, 6, 7}));
}

// The first rank hung after its exception, until muster ended it with the others.
TEST(Report, NamesARankThatHadRaisedBeforeMusterEndedIt) {
  Record record = failed_step();
  record.ending = at(6s);
  RankEnd& hung = add_victim(record, 2, at(7s));
  hung.exception = Exception{"RuntimeError: boom", "", at(5s)};
  RankEnd& asked = add_victim(record, 3, at(7s));
  asked.exception = Exception{"RuntimeError: asked to end", "", at(6100ms)};
  add_lost_peer(record, 6, at(5900ms));
  const Report report = of(record);
  EXPECT_EQ(report.first->end.place.rank, 2U);
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_EQ(ranks_of(report, VictimKind::ended_by_muster), Ranks{3});
}

TEST(Report, HasASignalsNumberInTheExitCode) {
  Record record = failed_step();
  add_end(record, 4, SIGSEGV | 0x80, at(5s));
  EXPECT_EQ(of(record).cause, Cause::signal);
  EXPECT_EQ(of(record).exit_code, 139);
}

TEST(Report, TellsMemoryApartFromOtherKills) {
  const auto cause = [](std::int32_t status, bool event, const char* state) {
    Record record = failed_step();
    record.slurm.job_state = state;
    add_end(record, 4, status, at(5s)).out_of_memory = event;
    return of(record).cause;
  };
  EXPECT_EQ(cause(SIGKILL, true, ""), Cause::out_of_memory);
  EXPECT_EQ(cause(exited(1), true, ""), Cause::out_of_memory);  // a DataLoader's worker
  EXPECT_EQ(cause(SIGKILL, false, "OUT_OF_MEMORY"), Cause::out_of_memory);
  EXPECT_EQ(cause(exited(137), false, "OUT_OF_MEMORY"), Cause::out_of_memory);
  EXPECT_EQ(cause(125, false, ""), Cause::out_of_memory);
  EXPECT_EQ(cause(SIGKILL, false, "RUNNING"), Cause::signal);
  EXPECT_EQ(cause(exited(137), false, ""), Cause::signal);
  EXPECT_EQ(cause(exited(1), false, "OUT_OF_MEMORY"), Cause::program);
}

TEST(Report, NamesALostNodeAndNoVictimOfIt) {
  Record record = failed_step();
  record.nodes[1].state = NodeState::lost;
  record.nodes[1].last_word = at(5s);
  for (const std::uint32_t rank : {0, 1, 2}) add_lost_peer(record, rank, at(6s));
  add_end(record, 3, SIGABRT, at(6s));
  const Report report = of(record);
  EXPECT_EQ(report.cause, Cause::node);
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_EQ(report.first, std::nullopt);
  ASSERT_EQ(report.lost_nodes.size(), 1U);
  EXPECT_EQ(report.lost_nodes.front(), (LostNode{"node2", NodeState::lost, 4, at(5s)}));
  EXPECT_EQ(report.times.failure, at(5s));
}

TEST(Report, NamesTheRankWhereItFailedBeforeTheNodeWentSilent) {
  Record record = failed_step();
  record.nodes[1].state = NodeState::lost;
  record.nodes[1].last_word = at(5s);
  add_end(record, 0, exited(7), at(4900ms));
  EXPECT_EQ(of(record).first->end.place.rank, 0U);
  EXPECT_EQ(of(record).exit_code, 7);
  EXPECT_EQ(of(record).lost_nodes.size(), 1U);
}

TEST(Report, BelievesSlurmThatANodeFailed) {
  Record record = failed_step();
  record.slurm.job_state = "NODE_FAIL";
  add_lost_peer(record, 0, at(6s));
  EXPECT_EQ(of(record).cause, Cause::node);
}

TEST(Report, NamesANodeThatFencedItsRanks) {
  Record record = failed_step();
  record.nodes[1].remark = "it had not heard the supervisor for 15 s, and ended its ranks";
  for (std::uint32_t rank = 0; rank < 8; ++rank) add_victim(record, rank, at(6s));
  EXPECT_EQ(of(record).cause, Cause::node);
}

TEST(Report, BelievesSlurmsWordOverWhatTheRanksMadeOfIt) {
  const std::vector<std::tuple<const char*, Result, Cause>> states{
      {"TIMEOUT", Result::timeout, Cause::time_limit},
      {"DEADLINE", Result::timeout, Cause::time_limit},
      {"PREEMPTED", Result::preempted, Cause::preemption},
      {"CANCELLED by 1000", Result::cancelled, Cause::user},
      {"PENDING", Result::cancelled, Cause::slurm},
      {"REQUEUED", Result::cancelled, Cause::slurm},
      {"BOOT_FAIL", Result::failed, Cause::launch}};
  for (const auto& [state, result, cause] : states) {
    Record record = failed_step();
    record.slurm.job_state = state;
    add_end(record, 0, SIGTERM, at(6s));
    add_exception(record, 1, "RuntimeError: asked to end", at(6s));
    const Report report = of(record);
    EXPECT_EQ(report.result, result) << state;
    EXPECT_EQ(report.cause, cause) << state;
    EXPECT_EQ(report.first, std::nullopt) << state;
    EXPECT_EQ(report.exit_code, 143) << state;
  }
}

TEST(Report, LearnsNothingFromAStateThatOnlyRepeatsTheExitCode) {
  for (const auto* const state :
       {"", "RUNNING", "COMPLETING", "FAILED", "COMPLETED", "SUSPENDED"}) {
    Record record = failed_step();
    record.slurm.job_state = state;
    add_end(record, 0, exited(7), at(6s));
    EXPECT_EQ(of(record).cause, Cause::program) << state;
  }
}

// The user cancelled a run that hung, and this exception is why it hung.
TEST(Report, KeepsAnExceptionLongBeforeTheTimeLimit) {
  Record record = failed_step();
  record.slurm.job_state = "TIMEOUT";
  record.over = at(3600s);
  add_exception(record, 1, "RuntimeError: boom", at(100s)).time = at(3590s);
  add_end(record, 0, SIGTERM, at(3590s));
  const Report report = of(record);
  EXPECT_EQ(report.result, Result::timeout);
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.first->end.place.rank, 1U);
  EXPECT_EQ(report.exit_code, 143);
}

TEST(Report, TakesWhatTheUsersSignalEndedForCancelled) {
  const auto cause = [](int signal, std::int32_t status, Moment end) {
    Record record = failed_step();
    record.signals = {{signal, at(5s)}};
    add_end(record, 0, status, end);
    return of(record).cause;
  };
  EXPECT_EQ(cause(SIGINT, exited(1), at(5100ms)), Cause::user);
  EXPECT_EQ(cause(SIGTERM, exited(143), at(60s)), Cause::user);
  EXPECT_EQ(cause(SIGUSR1, SIGUSR1, at(5001ms)), Cause::user);
  // It saved its state, and later failed by itself.
  EXPECT_EQ(cause(SIGTERM, exited(1), at(60s)), Cause::program);
  EXPECT_EQ(cause(SIGUSR1, exited(1), at(5100ms)), Cause::program);
  EXPECT_EQ(cause(SIGINT, exited(1), at(4s)), Cause::program);
}

TEST(Report, HasSrunsCodeWhereTheUserCancelled) {
  Record record = failed_step();
  record.signals = {{SIGINT, at(5s)}};
  record.srun_wait_status = exited(130);
  add_exception(record, 0, "KeyboardInterrupt: ", at(40s));
  const Report report = of(record);
  EXPECT_EQ(report.result, Result::cancelled);
  EXPECT_EQ(report.user_signal, record.signals.front());
  EXPECT_EQ(report.exit_code, 130);
}

TEST(Report, KnowsScancelOfTheStepByAllRanksEndingAtOnce) {
  Record record = failed_step();
  for (std::uint32_t rank = 0; rank < 8; ++rank)
    add_end(record, rank, SIGTERM, at(5s + rank * 1ms));
  EXPECT_EQ(of(record).result, Result::cancelled);
  EXPECT_EQ(of(record).cause, Cause::slurm);
  record.ends.front().wait_status = exited(143);
  EXPECT_EQ(of(record).cause, Cause::slurm);
  record.ends.front().wait_status = SIGTERM;
  record.ends.back().wait_status = SIGSEGV;
  EXPECT_EQ(of(record).cause, Cause::signal);
}

TEST(Report, KnowsScancelOfTheStepAlsoIfItEndedSomeRanksItself) {
  Record record = made_up_step(3, 2);
  record.srun_wait_status = exited(143);
  for (const std::uint32_t rank : {2, 3, 4}) add_end(record, rank, SIGUSR1, at(5s));
  for (const std::uint32_t rank : {0, 1, 5}) add_victim(record, rank, at(5100ms));
  EXPECT_EQ(of(record).cause, Cause::slurm);
  record.slurm.job_state = "COMPLETING";
  EXPECT_EQ(of(record).cause, Cause::user);
  record.slurm.reason = "JobLaunchFailure";
  EXPECT_EQ(of(record).cause, Cause::slurm);
}

// One rank, as is usual for a program on one GPU.
Record cancelled_step(std::int32_t wait_status) {
  Record record = made_up_step(1, 1);
  record.srun_wait_status = wait_status;
  record.slurm.job_state = "RUNNING";
  record.step_cancelled = true;
  add_end(record, 0, wait_status, at(5s));
  return record;
}

TEST(Report, KnowsScancelOfTheStepOfOneRankByWhatSrunWrote) {
  for (const auto status : {signalled(SIGKILL), signalled(SIGTERM), exited(1), exited(143)}) {
    Record record = cancelled_step(status);
    EXPECT_EQ(of(record).result, Result::cancelled) << status;
    EXPECT_EQ(summary(of(record)), "the step was cancelled (scancel)") << status;
    EXPECT_EQ(of(record).first, std::nullopt) << status;
    record.step_cancelled = false;
    EXPECT_EQ(of(record).result, Result::failed) << status;
  }
}

TEST(Report, KnowsScancelOfTheStepWhoseRanksSaveAndExitWithACode) {
  Record record = failed_step();
  record.step_cancelled = true;
  add_end(record, 0, exited(1), at(5s));
  for (std::uint32_t rank = 1; rank < 8; ++rank) add_victim(record, rank, at(7s));
  EXPECT_EQ(of(record).result, Result::cancelled);
}

TEST(Report, TakesNoFailureForACancelOfTheStepThatMusterOrSlurmSent) {
  Record memory = cancelled_step(signalled(SIGKILL));
  memory.ends.front().out_of_memory = true;
  EXPECT_EQ(of(memory).cause, Cause::out_of_memory);
  Record slurms = cancelled_step(slurms_memory_signal);
  EXPECT_EQ(of(slurms).cause, Cause::out_of_memory);
  for (const auto state : {NodeState::silent, NodeState::agent_gone, NodeState::lost}) {
    Record record = cancelled_step(signalled(SIGKILL));
    record.nodes.front().state = state;
    EXPECT_EQ(of(record).result, Result::failed);
  }
  Record fenced = cancelled_step(signalled(SIGKILL));
  fenced.nodes.front().remark = "node1 has not heard from the supervisor";
  EXPECT_EQ(of(fenced).result, Result::failed);
}

TEST(Report, TakesTheKilledRanksOfOneNodeForAFailure) {
  Record record = made_up_step(3, 2);
  for (const std::uint32_t rank : {2, 3}) add_end(record, rank, SIGKILL, at(5s));
  for (const std::uint32_t rank : {0, 1, 4, 5}) add_victim(record, rank, at(5100ms));
  EXPECT_EQ(of(record).cause, Cause::signal);
}

TEST(Report, NamesANodeWhoseSlurmstepdHasGone) {
  Record record = failed_step();
  record.nodes[1].remark = "slurmstepd is gone: muster stopped the ranks that were still running";
  for (const std::uint32_t rank : {4, 5, 6, 7})
    add_end(record, rank, unknown_status, at(5s)).ended_by_muster = true;
  for (const std::uint32_t rank : {0, 1, 2, 3}) add_victim(record, rank, at(5100ms));
  EXPECT_EQ(of(record).cause, Cause::node);
  EXPECT_EQ(of(record).exit_code, 1);
  EXPECT_EQ(summary(of(record)),
            "node2: slurmstepd is gone: muster stopped the ranks that were still running");
  record.ends.back().ended_by_muster = false;
  record.ends.back().wait_status = exited(7);
  record.ends.back().time = at(4s);
  EXPECT_EQ(of(record).cause, Cause::program);
}

TEST(Report, TakesOneKilledRankForTheFirstFailure) {
  Record record = failed_step();
  add_end(record, 5, SIGKILL, at(5s));
  for (const std::uint32_t rank : {0, 1, 2, 3, 4, 6, 7}) add_victim(record, rank, at(5100ms));
  EXPECT_EQ(of(record).cause, Cause::signal);
  EXPECT_EQ(of(record).exit_code, 137);
}

TEST(Report, SaysThatNothingStarted) {
  Record record = failed_step();
  for (auto& node : record.nodes) node.started.reset();
  record.srun_wait_status = exited(1);
  EXPECT_EQ(of(record).cause, Cause::launch);
  EXPECT_EQ(of(record).exit_code, 1);
  record.nodes.clear();
  EXPECT_EQ(of(record).cause, Cause::launch);
}

TEST(Report, HasSrunsCodeWhereNoNodeCouldReachTheSupervisor) {
  Record record = failed_step();
  for (auto& node : record.nodes) node = {node.name, NodeState::silent, 4, {}, {}, {}, {}};
  record.srun_wait_status = exited(7);
  EXPECT_EQ(of(record).cause, Cause::program);
  EXPECT_EQ(of(record).exit_code, 7);
}

TEST(Report, HasSrunsCodeIfTheUserWantsIt) {
  Record record = failed_step();
  add_end(record, 4, exited(7), at(5s));
  EXPECT_EQ(make_report(record, {.exit_of_srun = true}).exit_code, 143);
}

TEST(Report, NeverEndsAFailureWithZero) {
  Record record = failed_step();
  record.srun_wait_status = 0;
  add_end(record, 4, exited(7), at(5s));
  EXPECT_EQ(of(record).exit_code, 7);
}

TEST(Report, HasTheRendezvousFromTheFirstAgentThatCameToTheLastThatKnewThatAllHadMet) {
  Record record = made_up_step(3, 1);
  for (std::uint32_t i = 0; i < 3; ++i) {
    record.nodes[i].agent =
        AgentTimes{at(100ms * (3 - i)), at(400ms + 10ms * i), at(500ms + 1ms * i)};
  }
  const auto times = make_report(record, {}).times;
  EXPECT_EQ(times.first_agent, at(100ms));
  EXPECT_EQ(times.rendezvous_begin, at(400ms));
  EXPECT_EQ(times.rendezvous_end, at(502ms));
  record.nodes[1].agent.reset();
  EXPECT_FALSE(make_report(record, {}).times.rendezvous_end) << "one node has not told its part";
}

TEST(Report, StandsForAnyNumbers) {
  Record record = failed_step();
  record.ending = at(std::chrono::nanoseconds::min());
  constexpr auto least = std::chrono::nanoseconds::min();
  constexpr auto most = std::chrono::nanoseconds::max();
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    RankEnd& end = add_lost_peer(record, rank, at(0s));
    end.time = at(rank % 2 == 0 ? most : least, most);
    end.exception->time = at(rank % 2 == 0 ? least : most, least);
    end.ended_by_muster = rank % 3 == 0;
  }
  record.node_of = {7, 0xFFFFFFFF};
  EXPECT_NO_THROW(of(record));
}

}  // namespace
}  // namespace muster::report
