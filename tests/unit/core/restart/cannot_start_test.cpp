#include "core/restart/decision.hpp"
#include "past_attempts.hpp"
#include "unit/core/report/made_up_step.hpp"

#include <csignal>
#include <optional>
#include <string>
#include <vector>

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

// Four ranks on one node.
report::Record one_node() {
  auto record = report::made_up_step(1, 4);
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
    auto record = one_node();
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
  auto record = one_node();
  add_end(record, 2, exited(1), at(3s)).last_lines = {
      "Traceback (most recent call last):", "ModuleNotFoundError: No module named 'x'", ""};
  EXPECT_TRUE(is_hopeless(record));
}

TEST(CannotStart, IsACommandThatTheShellDoesNotFindOrCannotRun) {
  for (const int code : {126, 127}) {
    auto record = one_node();
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
  auto both_on_node2 = step();
  for (const std::uint32_t rank : {2, 3}) add_end(both_on_node2, rank, exited(2), at(3s));
  EXPECT_FALSE(is_hopeless(both_on_node2));
  auto alone = report::made_up_step(1, 1);
  add_end(alone, 0, exited(2), at(3s));
  EXPECT_TRUE(is_hopeless(alone));
}

TEST(CannotStart, IsExitCode2OfOneRankThatSaysWhy) {
  for (const auto* const line :
       {"train.py: error: unrecognized arguments: --foo",
        "python: can't open file '/home/u/train.py': [Errno 2] No such file or directory",
        "Error: No such option: --foo"}) {
    auto record = one_node();
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
  auto record = one_node();
  add_exception(record, 2, "ImportError: x", at(11s));
  EXPECT_TRUE(is_hopeless(record));
  record = one_node();
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
  auto record = one_node();
  add_exception(record, 2, "ModuleNotFoundError: No module named 'x'", at(3s));
  const auto report = make_report(record, {});
  std::vector<AttemptHistory> earlier;
  add_attempt(earlier, 3s);
  EXPECT_TRUE(cannot_start(record, report, earlier));
  add_attempt(earlier, 1h);
  EXPECT_FALSE(cannot_start(record, report, earlier));
}

// --- on one node of several

const std::string missing = "ImportError: libcudart.so.12: cannot open shared object file";

// Both ranks of node2 have that error, and muster stops those of node1.
report::Record step_with_bad_node(const std::string& message = missing) {
  auto record = step();
  for (const std::uint32_t rank : {2, 3}) add_exception(record, rank, message, at(3s));
  record.ending = at(3310ms);
  for (const std::uint32_t rank : {0, 1}) add_victim(record, rank, at(3400ms));
  return record;
}

std::optional<LoneStartError> lone(const report::Record& record) {
  return lone_start_error(record, make_report(record, {}));
}

TEST(CannotStart, IsNotProvedByOneNodeOfSeveral) {
  EXPECT_FALSE(is_hopeless(step_with_bad_node()));
  for (const int code : {126, 127}) {
    auto record = step();
    add_end(record, 2, exited(code), at(2s));
    for (const std::uint32_t rank : {0, 1, 3}) add_victim(record, rank, at(2100ms));
    EXPECT_FALSE(is_hopeless(record)) << code;
  }
}

TEST(CannotStart, IsProvedByTheSameErrorOnASecondNode) {
  auto record = step();
  add_exception(record, 2, missing, at(3s));
  add_exception(record, 1, missing, at(3500ms));
  for (const std::uint32_t rank : {0, 3}) add_victim(record, rank, at(3900ms));
  EXPECT_TRUE(is_hopeless(record));
  EXPECT_FALSE(lone(record));
}

TEST(CannotStart, IsProvedByAnExceptionOfARankThatMusterStoppedAfterwards) {
  auto record = step();
  add_exception(record, 2, missing, at(3s));
  add_exception(record, 1, missing, at(3200ms)).ended_by_muster = true;
  EXPECT_TRUE(is_hopeless(record));
}

// Only rank 0 imports what is missing, and the others lose it.
TEST(CannotStart, IsProvedByTheSameErrorInTheAttemptBefore) {
  auto record = step();
  add_exception(record, 2, missing, at(3s));
  add_lost_peer(record, 1, at(3100ms));
  const auto report = make_report(record, {});
  std::vector<AttemptHistory> earlier;
  add_attempt(earlier, 3s);
  EXPECT_FALSE(cannot_start(record, report, earlier));
  for (const auto* const node : {"node2", "node1"}) {
    earlier.back().start_error = {node, missing};
    EXPECT_TRUE(cannot_start(record, report, earlier)) << node;
  }
  earlier.back().start_error->what = "ImportError: another";
  EXPECT_FALSE(cannot_start(record, report, earlier));
  earlier.back().start_error->what = missing;
  add_attempt(earlier, 3s);  // failed in another way
  EXPECT_FALSE(cannot_start(record, report, earlier));
  earlier.back().start_error = {"node2", missing};
  earlier.front().failed += 1h;
  EXPECT_FALSE(cannot_start(record, report, earlier)) << "it has run";
}

TEST(LoneStartError, IsOfTheOnlyNodeThatHasIt) {
  EXPECT_EQ(lone(step_with_bad_node()), (LoneStartError{"node2", missing}));
  EXPECT_EQ(lone(step_with_bad_node(missing + "\nand more")), (LoneStartError{"node2", missing}));
  auto record = step();
  for (const std::uint32_t rank : {2, 3}) add_end(record, rank, exited(127), at(2s));
  EXPECT_EQ(lone(record), (LoneStartError{"node2", "exit code 127"}));
  add_lost_peer(record, 1, at(2100ms));
  EXPECT_TRUE(lone(record));
}

TEST(LoneStartError, IsNoneOfTheOnlyNode) {
  auto record = one_node();
  add_exception(record, 2, missing, at(3s));
  EXPECT_FALSE(lone(record));
}

TEST(LoneStartError, IsNoneWhereAnotherNodeCannotStartEither) {
  auto record = step_with_bad_node();
  record.ends.at(2).exception = report::Exception{"ImportError: y", {}, at(3200ms)};
  EXPECT_FALSE(lone(record));
}

TEST(LoneStartError, IsNoOtherErrorAndNoneLaterThanTheStart) {
  EXPECT_FALSE(lone(step_with_bad_node("RuntimeError: boom")));
  auto record = step();
  add_exception(record, 2, missing, at(11001ms));
  EXPECT_FALSE(lone(record));
}

}  // namespace
}  // namespace muster::restart
