// One test for each rule of docs/explain/first-failure.md.
#include "core/report/attribution.hpp"

#include "core/report/report.hpp"
#include "core/report/suspects_text.hpp"
#include "core/report/text.hpp"
#include "made_up_step.hpp"

#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

using Ranks = std::vector<std::uint32_t>;

Report of(const Record& record) {
  return make_report(record, {});
}

// Three nodes of two ranks: 0 to 5.
Record coupled_step() {
  Record record = made_up_step(3, 2);
  record.srun_wait_status = exited(143);
  record.ending = at(6s);
  return record;
}

void end_the_rest(Record& record, const Ranks& ranks) {
  for (const auto rank : ranks) add_victim(record, rank, at(6100ms));
}

Ranks suspects_of(const Report& report) {
  Ranks ranks;
  for (const auto& suspect : report.suspects) ranks.push_back(suspect.end.place.rank);
  return ranks;
}

void expect_certain(const Record& record, std::uint32_t rank) {
  const Report report = of(record);
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.first->end.place.rank, rank);
  EXPECT_TRUE(report.certain);
  EXPECT_TRUE(report.suspects.empty());
}

void expect_suspects(const Record& record, const Ranks& ranks) {
  const Report report = of(record);
  ASSERT_TRUE(report.first);
  EXPECT_FALSE(report.certain);
  EXPECT_EQ(suspects_of(report), ranks);
}

TEST(Attribution, IsNotCertainOfRanksThatAllEndWithCode1AndNoReason) {
  Record record = coupled_step();
  for (std::uint32_t rank = 0; rank < 6; ++rank)
    add_end(record, rank, exited(1), at(5s + 4ms * rank));
  expect_suspects(record, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(suspects_text(of(record)),
            "one of ranks 0-5: they exited 20 ms apart without giving a reason");
}

TEST(Attribution, IsNotCertainOfTheFirstThatEndsWithCode1IfMusterEndedOthers) {
  Record record = coupled_step();
  add_end(record, 1, exited(1), at(5s));
  add_end(record, 3, exited(1), at(5004ms));
  end_the_rest(record, {0, 2});
  expect_suspects(record, {1, 3, 0, 2});
  EXPECT_EQ(
      suspects_text(of(record)),
      "rank 1 or 3, or a rank that muster stopped: they exited 4 ms apart without giving a reason");
}

// No other rank ended in the 0.2 s that muster gave them.
TEST(Attribution, IsNotCertainOfARankThatEndsAloneWithCode1WhileOthersRun) {
  Record record = coupled_step();
  add_end(record, 1, exited(1), at(5s));
  end_the_rest(record, {0, 2, 3, 4, 5});
  expect_suspects(record, {1, 0, 2, 3, 4, 5});
  EXPECT_EQ(
      suspects_text(of(record)),
      "rank 1 exited first without giving a reason; a rank that muster stopped may be the cause");
}

TEST(Attribution, IsNotCertainOfAnAbortBesideOtherEndsWithoutAReason) {
  Record record = coupled_step();
  add_end(record, 1, signalled(SIGABRT), at(5s));
  add_end(record, 3, exited(1), at(5004ms));
  expect_suspects(record, {1, 3});
}

TEST(Attribution, IsCertainOfTheOnlyRankThatFailed) {
  Record record = coupled_step();
  add_end(record, 1, exited(1), at(5s));
  for (const std::uint32_t rank : {0, 2, 3, 4, 5}) add_success(record, rank, at(9s));
  expect_certain(record, 1);
}

// Its peers lose it, and a program usually ends with most ranks ending well.
TEST(Attribution, IsNotCertainOfARankThatMayHaveLostOneThatLeft) {
  Record record = made_up_step(1, 2);
  record.srun_wait_status = exited(1);
  add_success(record, 0, at(4900ms));
  add_end(record, 1, exited(1), at(5s));
  expect_suspects(record, {1, 0});
  EXPECT_EQ(
      suspects_text(of(record)),
      "rank 1 exited first without giving a reason; rank 0, which left with exit code 0, may be the cause");
}

TEST(Attribution, BelievesAnExceptionThatBlamesNobody) {
  Record record = coupled_step();
  add_exception(record, 4, "KeyError: 'x'", at(5s));
  add_end(record, 3, exited(1), at(5004ms));
  end_the_rest(record, {0, 1, 2, 5});
  expect_certain(record, 4);
}

TEST(Attribution, BelievesAnExceptionInTheRanksOwnLastLines) {
  Record record = coupled_step();
  add_end(record, 4, exited(1), at(5s)).last_lines = {"Traceback:", "KeyError: 'x'"};
  add_end(record, 3, exited(1), at(5004ms));
  expect_certain(record, 4);
}

TEST(Attribution, BelievesAnErrorOfTheGpuThatNcclsWatchdogReports) {
  Record record = coupled_step();
  add_end(record, 4, signalled(SIGABRT), at(5s)).last_lines = {
      "  what():  [PG 0 Rank 4] Process group watchdog thread terminated with exception: CUDA "
      "error: an illegal memory access was encountered"};
  end_the_rest(record, {0, 1, 2, 3, 5});
  expect_certain(record, 4);
}

TEST(Attribution, BelievesNoLinesThatMayBeAnotherRanks) {
  Record record = coupled_step();
  RankEnd& end = add_end(record, 4, exited(1), at(5s));
  end.last_lines = {"KeyError: 'x'"};
  end.last_lines_shared = true;
  add_end(record, 3, exited(1), at(5004ms));
  expect_suspects(record, {4, 3});
}

TEST(Attribution, TakesTheOneThatBlamesNoPeerForTheCauseOfThoseThatDo) {
  Record record = coupled_step();
  add_end(record, 4, exited(1), at(5s));
  for (const std::uint32_t rank : {0, 1, 2, 3, 5}) add_lost_peer(record, rank, at(5100ms));
  expect_certain(record, 4);
}

TEST(Attribution, IsNotCertainIfEachFailedRankBlamesAPeer) {
  Record record = coupled_step();
  add_lost_peer(record, 1, at(5s));
  end_the_rest(record, {0, 2, 3, 4, 5});
  expect_suspects(record, {0, 2, 3, 4, 5});
}

TEST(Attribution, RemembersThatATextThatWasTooMuchBlamedAPeer) {
  Record record = coupled_step();
  add_end(record, 1, exited(1), at(5s)).blamed_peer = true;
  add_end(record, 4, exited(3), at(5100ms));
  expect_certain(record, 4);
}

TEST(Attribution, BelievesAnExitCodeThatNoOtherRankHas) {
  Record record = coupled_step();
  add_end(record, 1, exited(1), at(5s));
  add_end(record, 3, signalled(SIGABRT), at(5004ms));
  add_end(record, 4, exited(3), at(5900ms));  // its logger took that long
  end_the_rest(record, {0, 2, 5});
  expect_certain(record, 4);
}

TEST(Attribution, BelievesAnExitCodeThatComesFirst) {
  Record record = coupled_step();
  add_end(record, 4, exited(7), at(5s));
  add_end(record, 1, exited(1), at(5010ms));
  expect_certain(record, 4);
}

// A program may turn a lost peer into an exit code of its own.
TEST(Attribution, IsNotCertainOfASpecialExitCodeBehindASingleOther) {
  Record record = made_up_step(1, 2);
  add_end(record, 1, exited(1), at(5s));
  add_end(record, 0, exited(75), at(5010ms));
  expect_suspects(record, {0, 1});
}

TEST(Attribution, IsNotCertainOfAnExitCodeThatSeveralRanksHave) {
  Record record = coupled_step();
  for (const std::uint32_t rank : {0, 1, 2}) add_end(record, rank, exited(75), at(5s));
  add_end(record, 4, exited(1), at(5100ms));
  expect_suspects(record, {0, 1, 2, 4});
}

TEST(Attribution, BelievesAKillJustBehindEndsWithoutAReason) {
  Record record = coupled_step();
  add_end(record, 1, exited(1), at(5s));
  add_end(record, 4, signalled(SIGKILL), at(5300ms));
  end_the_rest(record, {0, 2, 3, 5});
  expect_certain(record, 4);
  record.ends[1].time = at(6500ms);  // for another reason
  EXPECT_FALSE(of(record).certain);
}

TEST(Attribution, BelievesTheKernelThatItEndedARankForMemory) {
  Record record = coupled_step();
  add_end(record, 1, exited(1), at(5s));
  add_end(record, 4, exited(1), at(5300ms)).out_of_memory = true;
  expect_certain(record, 4);
}

TEST(Attribution, IsNotCertainOfOneOfSeveralKills) {
  Record record = coupled_step();
  add_end(record, 1, exited(1), at(5s));
  add_end(record, 4, signalled(SIGKILL), at(5010ms));
  add_end(record, 5, signalled(SIGKILL), at(5010ms));
  EXPECT_FALSE(of(record).certain);
}

TEST(Attribution, BelievesACrashAMomentBehindEndsWithoutAReason) {
  Record record = coupled_step();
  add_end(record, 1, exited(1), at(5s));
  add_end(record, 4, signalled(SIGSEGV), at(5050ms));
  expect_certain(record, 4);
}

constexpr std::chrono::milliseconds at_once{0};

RankEnd end_with(std::int32_t wait_status) {
  RankEnd end;
  end.wait_status = wait_status;
  return end;
}

TEST(EndingDelay, GivesThePeersTimeBehindAnEndWithoutAReason) {
  for (const auto status : {exited(1), signalled(SIGABRT), signalled(SIGPIPE), unknown_status})
    EXPECT_EQ(ending_delay(end_with(status), true), peers_lead) << status;
}

TEST(EndingDelay, IsNoneBehindACodeToWhichNoLostPeerLeads) {
  for (const int code : {4, 7, 42, 93, 126, 127})
    EXPECT_EQ(ending_delay(end_with(exited(code)), true), at_once) << code;
}

TEST(EndingDelay, GivesThePeersTimeBehindACodeThatALostPeerMayLeadTo) {
  for (const int code : {2, 3, 15, 16, 17, 75, 101, 128, 138, 255})
    EXPECT_EQ(ending_delay(end_with(exited(code)), true), peers_lead) << code;
}

// A shell or another wrapper that ends as its child did.
TEST(EndingDelay, IsThatOfTheSignalBehindAWrappersCode) {
  for (const int signal : {SIGABRT, SIGPIPE, SIGSEGV, SIGKILL, SIGTERM}) {
    EXPECT_EQ(ending_delay(end_with(exited(128 + signal)), true),
              ending_delay(end_with(signalled(signal)), true))
        << signal;
  }
}

TEST(EndingDelay, LetsASignalFromElsewhereReachTheOtherNodes) {
  for (const auto status : {signalled(SIGKILL), signalled(SIGTERM), exited(137), exited(143)})
    EXPECT_EQ(ending_delay(end_with(status), true), outside_signals_spread) << status;
  RankEnd end = end_with(signalled(SIGKILL));
  end.out_of_memory = true;
  EXPECT_EQ(ending_delay(end, true), at_once);
}

TEST(EndingDelay, IsNoneBehindAnEndThatSaysWhy) {
  RankEnd end = end_with(exited(1));
  end.last_lines = {"KeyError: 'x'"};
  EXPECT_EQ(ending_delay(end, true), at_once);
  end.last_lines = {"RuntimeError: Connection closed by peer"};
  EXPECT_EQ(ending_delay(end, true), peers_lead);
  EXPECT_EQ(ending_delay(end_with(signalled(SIGSEGV)), true), at_once);
}

// muster ends the others at once only after an end that is certain to be the first. Otherwise it waits.
TEST(EndingDelay, EndsAtOnceOnlyWhatIsCertain) {
  Record record = coupled_step();
  add_end(record, 4, exited(7), at(5s));
  end_the_rest(record, {0, 1, 2, 3, 5});
  EXPECT_EQ(ending_delay(record.ends.front(), true), at_once);
  expect_certain(record, 4);

  record = coupled_step();
  add_end(record, 1, exited(1), at(5s));
  const RankEnd second = add_end(record, 4, exited(7), at(5010ms));
  end_the_rest(record, {0, 2, 3, 5});
  EXPECT_EQ(ending_delay(second, false), peers_lead);
  expect_suspects(record, {4, 1, 0, 2, 3, 5});

  record.ends.erase(record.ends.begin() + 2, record.ends.end());
  add_end(record, 2, exited(1), at(5050ms));  // within the time that it has left
  end_the_rest(record, {0, 3, 5});
  expect_certain(record, 4);
}

TEST(Attribution, SaysSoOnTheScreenWithTheHintThatWouldTell) {
  Record record = coupled_step();
  add_end(record, 1, exited(1), at(5s));
  add_end(record, 3, exited(1), at(5004ms));
  const auto text = to_text(of(record), {});
  EXPECT_EQ(text.find("Root Cause"), std::string::npos) << text;
  EXPECT_NE(
      text.find("  suspects  : rank 1 or 3: they exited 4 ms apart without giving a reason\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  hint      : logs=DIR keeps the last lines"), std::string::npos) << text;
}

}  // namespace
}  // namespace muster::report
