#include "core/restart/decision.hpp"
#include "past_attempts.hpp"
#include "unit/core/report/made_up_step.hpp"

#include <csignal>
#include <string>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using report::add_end;
using report::add_exception;
using report::add_victim;
using report::at;
using report::exited;

// Four ranks on two nodes, which start at 1 s.
report::Record step() {
  auto record = report::made_up_step(2, 2);
  record.srun_wait_status = exited(1);
  return record;
}

bool is_hopeless(const report::Record& record) {
  return cannot_start(record, make_report(record, {}));
}

TEST(CannotStart, IsAnImportOrSyntaxErrorAlsoOfTheOneRankThatWasNotEnded) {
  for (const auto* const message :
       {"ImportError: cannot import name 'x'", "ModuleNotFoundError: No module named 'x'",
        "SyntaxError: invalid syntax", "IndentationError: unexpected indent"}) {
    auto record = step();
    add_exception(record, 2, message, at(3s));
    record.ending = at(3310ms);
    for (const std::uint32_t rank : {0, 1, 3}) add_victim(record, rank, at(3400ms));
    EXPECT_TRUE(is_hopeless(record)) << message;
  }
}

TEST(CannotStart, IsNoErrorOfTheProgramsOwn) {
  auto record = step();
  for (const std::uint32_t rank : {0, 1, 2, 3}) {
    add_exception(record, rank, "RuntimeError: boom", at(3s));
  }
  EXPECT_FALSE(is_hopeless(record));
}

TEST(CannotStart, IsAnImportErrorThatOnlyStandardErrorTells) {
  auto record = step();
  add_end(record, 2, exited(1), at(3s)).last_lines = {
      "Traceback (most recent call last):", "ModuleNotFoundError: No module named 'x'", ""};
  EXPECT_TRUE(is_hopeless(record));
}

TEST(CannotStart, IsACommandThatTheShellDoesNotFindOrCannotRun) {
  for (const int code : {126, 127}) {
    auto record = step();
    add_end(record, 2, exited(code), at(2s));
    EXPECT_TRUE(is_hopeless(record)) << code;
  }
}

TEST(CannotStart, IsExitCode2OfTwoRanksOrOfTheOnlyOne) {
  auto record = step();
  add_end(record, 2, exited(2), at(3s));
  EXPECT_FALSE(is_hopeless(record));
  add_end(record, 1, exited(2), at(3s));
  EXPECT_TRUE(is_hopeless(record));
  auto alone = report::made_up_step(1, 1);
  add_end(alone, 0, exited(2), at(3s));
  EXPECT_TRUE(is_hopeless(alone));
}

TEST(CannotStart, IsExitCode2OfOneRankThatSaysWhy) {
  for (const auto* const line :
       {"train.py: error: unrecognized arguments: --foo",
        "python: can't open file '/home/u/train.py': [Errno 2] No such file or directory",
        "Error: No such option: --foo"}) {
    auto record = step();
    add_end(record, 2, exited(2), at(3s)).last_lines = {"usage: train.py [-h]", line};
    EXPECT_TRUE(is_hopeless(record)) << line;
  }
}

TEST(CannotStart, NeedsTheSameErrorOfAllRanksThatEndedByThemselves) {
  auto record = step();
  add_exception(record, 2, "ImportError: x", at(3s));
  add_exception(record, 1, "ImportError: y", at(3s));
  EXPECT_FALSE(is_hopeless(record));
  record = step();
  add_exception(record, 2, "ImportError: x", at(3s));
  add_lost_peer(record, 1, at(3100ms));
  EXPECT_FALSE(is_hopeless(record));
  record = step();
  add_end(record, 1, exited(2), at(3s));
  add_end(record, 2, exited(2), at(3s));
  add_success(record, 0, at(2900ms));
  EXPECT_FALSE(is_hopeless(record));
}

TEST(CannotStart, NeedsAnErrorWithin10SecondsOfTheStart) {
  auto record = step();
  add_exception(record, 2, "ImportError: x", at(11s));
  EXPECT_TRUE(is_hopeless(record));
  record = step();
  add_exception(record, 2, "ImportError: x", at(11001ms));
  EXPECT_FALSE(is_hopeless(record));
}

TEST(CannotStart, IsNoSignalOrLostNode) {
  auto record = step();
  for (const std::uint32_t rank : {0, 1, 2, 3}) add_end(record, rank, SIGSEGV, at(2s));
  EXPECT_FALSE(is_hopeless(record));
  record = step();
  record.nodes[1].state = report::NodeState::lost;
  record.nodes[1].last_word = at(1500ms);
  EXPECT_FALSE(is_hopeless(record));
}

// A node lacks a file system that the others have.
TEST(CannotStart, IsNothingThatRanForLongerBefore) {
  auto record = step();
  add_exception(record, 2, "ModuleNotFoundError: No module named 'x'", at(3s));
  const auto report = make_report(record, {});
  std::vector<AttemptHistory> earlier;
  add_attempt(earlier, 3s);
  EXPECT_TRUE(cannot_start(record, report, earlier));
  add_attempt(earlier, 1h);
  EXPECT_FALSE(cannot_start(record, report, earlier));
}

}  // namespace
}  // namespace muster::restart
