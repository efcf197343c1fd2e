#include "core/report/own_words.hpp"

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::report {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t rank_pid = 100;
constexpr int code_1 = 1 << 8;

Written said(const std::string& message, std::chrono::seconds at, std::uint32_t process = rank_pid,
             const std::string& thread = "") {
  return {
      fmt::format(
          R"({{"message": {{"message": "{}", "extraInfo": {{"py_callstack": "Traceback", "timestamp": "1",)"
          R"( "process": "{}", "thread": "{}"}}}}}})",
          message, process, thread),
      Moment{at, {}}};
}

Written fault(std::chrono::seconds at) {
  return {
      "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n",
      Moment{at, {}}};
}

// It ends after 100 s.
RankEnd ended(int wait_status = code_1) {
  RankEnd end;
  end.place.pid = rank_pid;
  end.wait_status = wait_status;
  end.time = {100s, {}};
  return end;
}

std::string message(const RankFiles& files, int wait_status = code_1) {
  const auto exception = own_words(files, ended(wait_status));
  return exception ? exception->message : "";
}

TEST(OwnWords, AreTheExceptionThatEndedTheProgram) {
  const auto exception = own_words({.uncaught = said("KeyError: 'x'", 99s)}, ended());
  ASSERT_TRUE(exception);
  EXPECT_EQ(exception->message, "KeyError: 'x'");
  EXPECT_EQ(exception->time, (Moment{99s, {}}));
}

TEST(OwnWords, AreThoseOfRecordIfThereIsOne) {
  EXPECT_EQ(message({.record = said("of @record", 98s), .uncaught = said("uncaught", 99s)}),
            "of @record");
}

TEST(OwnWords, AreTheExceptionEvenIfTheRankAbortsAfterIt) {
  EXPECT_EQ(message({.uncaught = said("KeyError", 99s), .fault = fault(100s)}, SIGABRT),
            "KeyError");
  EXPECT_EQ(message({.fault = fault(100s)}, SIGSEGV), "Fatal Python error: Segmentation fault");
  EXPECT_EQ(message({.fault = fault(50s)}), "") << "a forked child's";
}

TEST(OwnWords, OfTheRanksOwnProcessCountHoweverLongItTakesToEnd) {
  EXPECT_EQ(message({.uncaught = said("KeyError", 10s)}), "KeyError");
}

TEST(OwnWords, OfAProgramThatAScriptHasTriedAreForgotten) {
  EXPECT_EQ(message({.uncaught = said("ImportError", 80s, 7)}), "");
  EXPECT_EQ(message({.uncaught = said("KeyError", 95s, 7)}), "KeyError") << "the script's last";
}

TEST(OwnWords, OfAThreadExplainAnEndRightAfterThem) {
  EXPECT_EQ(message({.thread = said("KeyError", 98s, rank_pid, "loader")}),
            "thread loader: KeyError");
  EXPECT_EQ(message({.thread = said("KeyError", 50s, rank_pid, "loader")}), "");
}

TEST(OwnWords, HaveTheThreadThatFailedJustBefore) {
  const auto thread = said("KeyError", 90s, rank_pid, "loader");
  EXPECT_EQ(message({.uncaught = said("Empty", 95s), .thread = thread}),
            "Empty\nbefore that, thread loader: KeyError");
  EXPECT_EQ(message({.uncaught = said("Empty", 89s), .thread = thread}), "Empty");
}

TEST(OwnWords, ThatCannotBeReadAreNone) {
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.uncaught = Written{"{", {}}, .thread = Written{"garbage", {}}}), "");
}

}  // namespace
}  // namespace muster::report
