#include "core/report/fault_file.hpp"

#include "core/report/failed_rank.hpp"
#include "core/report/json.hpp"
#include "core/report/read_json.hpp"
#include "core/report/report.hpp"
#include "core/report/summary.hpp"
#include "core/report/text.hpp"
#include "fixtures/random_text.hpp"
#include "unit/core/report/made_up_step.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

const std::string dump =
    "Fatal Python error: Segmentation fault\n"
    "\n"
    "Thread 0x00007f1122334455 (most recent call first):\n"
    "  File \"queue.py\", line 171 in get\n"
    "\n"
    "Current thread 0x00007f5544332211 [python3] (most recent call first):\n"
    "  File \"train.py\", line 12 in step\n"
    "  File \"train.py\", line 31 in <module>\n"
    "\n"
    "Extension modules: numpy.core._multiarray_umath (total: 1)\n";

TEST(FaultFile, HasTheSignalAndTheStackOfItsThreadAsATraceback) {
  const auto fault = parse_fault_file(dump);
  ASSERT_TRUE(fault);
  EXPECT_EQ(*fault, (Exception{"Fatal Python error: Segmentation fault",
                               "Traceback (most recent call last):\n"
                               "  File \"train.py\", line 31 in <module>\n"
                               "  File \"train.py\", line 12 in step\n",
                               {},
                               true}));
}

TEST(FaultFile, IsReadFromItsLastDump) {
  const auto fault = parse_fault_file(
      dump +
      "Fatal Python error: Aborted\n\nStack (most recent call first):\n  File \"a.py\", line 1 in f");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, "Fatal Python error: Aborted");
  EXPECT_EQ(fault->traceback, "Traceback (most recent call last):\n  File \"a.py\", line 1 in f\n");
}

TEST(FaultFile, IsNothingWithoutADump) {
  EXPECT_FALSE(parse_fault_file(""));
  EXPECT_FALSE(parse_fault_file("boom\n"));
  EXPECT_FALSE(parse_fault_file("  Fatal Python error: Aborted\n"));
}

TEST(FaultFile, MayBeCutOffAnywhereAndIsWithinItsBounds) {
  for (std::size_t size = 0; size <= dump.size(); ++size) {
    const auto fault = parse_fault_file(dump.substr(0, size));
    ASSERT_EQ(fault.has_value(), size >= 20) << size;
  }
  std::string frames;
  for (int i = 0; i < 5000; ++i) frames += "  File \"x.py\" " + std::string(900, 'x') + "\n";
  const auto fault = parse_fault_file("Fatal Python error: " + std::string(9000, 'x') +
                                      "\n\nCurrent thread 0x1:\n" + frames);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message.size(), max_message_bytes);
  EXPECT_EQ(fault->traceback.size(), max_traceback_bytes);
}

Report report_of(int signal, const std::string& last_line) {
  Record record = made_up_step(1, 2);
  auto& end = add_end(record, 1, signalled(signal), at(9s));
  end.exception = parse_fault_file(dump);
  if (!last_line.empty()) end.last_lines = {last_line};
  add_victim(record, 0, at(10s));
  return make_report(record, {});
}

TEST(FaultFile, SaysWhereAndNotWhy) {
  const auto report = report_of(SIGSEGV, "");
  EXPECT_EQ(report.cause, Cause::signal);
  EXPECT_EQ(report.exit_code, 128 + SIGSEGV);
}

// NCCL's watchdog aborts the process, wherever it is, because a peer has gone.
TEST(FaultFile, DoesNotHideThatAPeerHasGone) {
  EXPECT_TRUE(
      report_of(SIGABRT, "ProcessGroupNCCL: NCCL communicator was aborted").first->lost_peer);
  EXPECT_FALSE(report_of(SIGABRT, "Assertion `i < n' failed").first->lost_peer);
}

TEST(FaultFile, DoesNotHideWhatTheRankSaidWhenItAborted) {
  const std::string words =
      "[PG 0 Rank 1] Process group watchdog thread terminated with exception: CUDA error: out of memory";
  const auto report = report_of(SIGABRT, "  what():  " + words);
  EXPECT_TRUE(report.certain);
  EXPECT_FALSE(report.first->lost_peer);
  EXPECT_EQ(reason_of(report.first->end), words);
  const auto text = to_text(report, {});
  EXPECT_NE(text.find("  error     : [PG 0 Rank 1] Process group watchdog"), std::string::npos)
      << text;
  EXPECT_NE(text.find("in step"), std::string::npos) << text;
  EXPECT_NE(summary(report).find("CUDA error"), std::string::npos) << summary(report);
  const auto back = read_json(to_json(report));
  EXPECT_EQ(reason_of(back.report.first->end), words);
}

// It ended because of a signal that says enough, or that came from elsewhere.
TEST(FaultFile, IsTheReasonForAnyOtherSignal) {
  const auto report = report_of(SIGSEGV, "  what():  boom");
  EXPECT_EQ(reason_of(report.first->end), "Fatal Python error: Segmentation fault");
}

}  // namespace
}  // namespace muster::report
