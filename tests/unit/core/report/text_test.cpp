#include "core/report/text.hpp"

#include "core/report/attempts_text.hpp"
#include "core/report/summary.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "fixtures/random_text.hpp"
#include "made_up_step.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

Record told_step() {
  Record record = made_up_step(2, 4);
  record.srun_wait_status = exited(143);
  record.over = at(12600ms);
  return record;
}

std::string text_of(const Record& record, const TextStyle& style = {}) {
  return to_text(make_report(record, {}), style);
}

Record step_with_exception() {
  Record record = told_step();
  RankEnd& first = add_exception(record, 5, "RuntimeError: boom", at(12s, 200us));
  first.exception->traceback =
      "Traceback (most recent call last):\n  File \"train.py\", line 31, in <module>\n    main()\n"
      "  File \"train.py\", line 12, in main\n    raise RuntimeError(\"boom\")\nRuntimeError: boom\n";
  add_lost_peer(record, 0, at(12010ms));
  record.ending = at(12030ms);
  for (const std::uint32_t rank : {1, 2, 3, 4, 6, 7}) add_victim(record, rank, at(12100ms));
  return record;
}

TEST(Text, ShowsAnExceptionAsTorchrunDoes) {
  EXPECT_EQ(text_of(step_with_exception()),
            R"(============================================================
./train.py FAILED (exit code 1, step 42.0, 8 ranks on 2 nodes, 12.6 s)
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-01-01_00:00:12.000, 12.0 s after the launch
  host      : node2
  rank      : 5 (local_rank: 1)
  exitcode  : 1 (pid: 4705)
  error     : RuntimeError: boom
  traceback :
    Traceback (most recent call last):
      File "train.py", line 31, in <module>
        main()
      File "train.py", line 12, in main
        raise RuntimeError("boom")
------------------------------------------------------------
  victims   : 6 stopped by muster (1-4,6-7), 1 lost a peer (0)
  times     : launch 2026-01-01_00:00:00, start +1.0 s, failure +12.0 s, last end +12.3 s
============================================================
)");
}

TEST(Text, HintsAtTheAgentsStoreIfNobodyServesOne) {
  Record record = told_step();
  add_exception(
      record, 0,
      "DistNetworkError: The client socket has timed out after 300000ms while trying to connect to "
      "(10.0.0.1, 61844).",
      at(12s));
  EXPECT_NE(text_of(record).find("  hint      : no torch store answered at that address"),
            std::string::npos);
  EXPECT_EQ(text_of(step_with_exception()).find("  hint "), std::string::npos);
}

TEST(Text, SaysThatTheProgramDoesNotHandleTheSignalOfUsersAndSlurm) {
  const auto* const hint =
      "  hint      : the program does not handle SIGUSR1; Lightning handles it with "
      "--distributed=lightning\n";
  Record all = told_step();
  for (std::uint32_t rank = 0; rank < 8; ++rank) add_end(all, rank, SIGUSR1, at(5s));
  EXPECT_NE(text_of(all).find(hint), std::string::npos) << text_of(all);
  Record one = made_up_step(1, 1);
  add_end(one, 0, SIGUSR1, at(5s));
  EXPECT_NE(text_of(one).find(hint), std::string::npos) << text_of(one);
  one.ends.front().wait_status = SIGUSR2;
  EXPECT_NE(text_of(one).find("  hint      : the program does not handle SIGUSR2\n"),
            std::string::npos);
  one.ends.front().wait_status = SIGTERM;
  EXPECT_EQ(text_of(one).find("  hint "), std::string::npos);
}

TEST(Text, HasNoHintAtASignalAfterAnotherFailure) {
  Record record = told_step();
  add_exception(record, 0, "RuntimeError: boom", at(5s));
  for (std::uint32_t rank = 1; rank < 8; ++rank) add_end(record, rank, SIGUSR1, at(15s));
  EXPECT_EQ(text_of(record).find("  hint "), std::string::npos) << text_of(record);
}

TEST(Text, IsInTheGuideAsItIs) {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/guides/failures.md");
  const std::string guide{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(guide.find("```text\n" + text_of(step_with_exception()) + "```\n"), std::string::npos);
}

TEST(Text, ShowsASignalAndTheLastLinesOfStandardError) {
  Record record = told_step();
  RankEnd& first = add_end(record, 2, SIGSEGV | 0x80, at(8s, 3ms));
  first.last_lines = {"step 118", "\x1b[31mFatal Python error\x1b[0m: Segmentation fault",
                      " 10%|#   \r 20%|##  \r 30%|### "};
  first.last_lines_file = "/home/u/err-2.txt";
  add_end(record, 7, exited(3), at(8002ms, 3ms));
  record.nodes[1].stuck_ranks = {6, 4};
  EXPECT_EQ(text_of(record, {.report_file = "report.json", .logs = "out/42.0-attempt-0"}),
            R"(============================================================
./train.py FAILED (exit code 139, step 42.0, 8 ranks on 2 nodes, 12.6 s)
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-01-01_00:00:08.000, 8.0 s after the launch (clock error up to 3 ms)
  host      : node1
  rank      : 2 (local_rank: 2)
  exitcode  : -11 (pid: 4702), SIGSEGV (segmentation fault), core dumped
  stderr    : /home/u/err-2.txt
    step 118
    \x1b[31mFatal Python error\x1b[0m: Segmentation fault
     30%|###
------------------------------------------------------------
  same time : rank 7 on node2 (+2.0 ms): exit code 3
  stuck     : on node2: ranks 4,6, in uninterruptible sleep, where SIGKILL has no effect
  times     : launch 2026-01-01_00:00:00, start +1.0 s, failure +8.0 s, last end +8.0 s
  report    : report.json
  logs      : out/42.0-attempt-0 (muster report makes a page from it)
============================================================
)");
}

TEST(Text, ShowsTheWholeNameOfALogsDirectory) {
  Record record = told_step();
  add_end(record, 2, exited(3), at(8s));
  const std::string longest(max_report_columns - 14, 'd');
  EXPECT_NE(text_of(record, {.logs = longest}).find("  logs      : " + longest + "\n"),
            std::string::npos);
}

TEST(Text, ShowsALostNode) {
  Record record = told_step();
  record.nodes[1].state = NodeState::lost;
  record.nodes[1].last_word = at(5s);
  for (const std::uint32_t rank : {0, 1, 2, 3}) add_victim(record, rank, at(15s));
  record.ending = at(15s);
  EXPECT_EQ(text_of(record), R"(============================================================
./train.py FAILED (exit code 1, step 42.0, 8 ranks on 2 nodes, 12.6 s)
------------------------------------------------------------
Root Cause:
  cause     : node2 was lost: no heartbeat
------------------------------------------------------------
  victims   : 4 stopped by muster (0-3)
  lost node : node2 (4 ranks), last heard 2026-01-01_00:00:05.000
  times     : launch 2026-01-01_00:00:00, start +1.0 s, failure +5.0 s, last end +15.0 s
============================================================
)");
}

TEST(Text, ShowsThatTheJobWasCancelledAndWhatHadHungIt) {
  Record record = told_step();
  record.over = at(3600s);
  record.slurm = {"CANCELLED", "None"};
  add_exception(record, 1, "RuntimeError: boom", at(100s)).time = at(3590s);
  add_end(record, 0, SIGTERM, at(3590s));
  EXPECT_EQ(text_of(record), R"(============================================================
./train.py CANCELLED (exit code 143, step 42.0, 8 ranks on 2 nodes, 1 h)
------------------------------------------------------------
Root Cause:
  cause     : the job was cancelled
Long before that, a rank had failed without exiting:
[0]:
  time      : 2026-01-01_00:01:40.000, 1 min 40 s after the launch
  host      : node1
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 4701)
  error     : RuntimeError: boom
------------------------------------------------------------
  victims   : 1 killed externally (0)
  slurm     : job state CANCELLED
  times     : launch 2026-01-01_00:00:00, start +1.0 s, failure +1 min 40 s, last end +59 min 50 s
============================================================
)");
}

TEST(Text, CallsTheProgramAsItsUserDoes) {
  const auto headline = [](std::vector<std::string> command) {
    Record record = told_step();
    record.program = command.front();
    record.command = std::move(command);
    add_end(record, 2, exited(3), at(5s));
    const auto text = text_of(record);
    const auto begin = text.find('\n') + 1;
    return text.substr(begin, text.find(" FAILED") - begin);
  };
  EXPECT_EQ(headline({"python3", "boom.py", "--lr", "1"}), "boom.py");
  EXPECT_EQ(headline({"/opt/env/bin/python", "-u", "-W", "ignore", "src/boom.py"}), "src/boom.py");
  EXPECT_EQ(headline({"python3.11", "-m", "package.train"}), "package.train");
  EXPECT_EQ(headline({"python3", "-c", "import torch"}), "python3");
  EXPECT_EQ(headline({"python3", "-"}), "python3");
  EXPECT_EQ(headline({"./train", "boom.py"}), "./train");
}

TEST(Text, CountsRanksThatFailedTheSameWay) {
  Record record = told_step();
  add_exception(record, 2, "KeyError: 'x'", at(5s));
  add_exception(record, 3, "KeyError: 'x'", at(6s));
  EXPECT_NE(text_of(record).find("  victims   : 1 failed the same way (3)\n"), std::string::npos)
      << text_of(record);
}

TEST(Text, NamesARankThatLeftEarly) {
  Record record = told_step();
  add_success(record, 3, at(4s));
  add_lost_peer(record, 0, at(5s));
  EXPECT_NE(text_of(record).find("  left early: rank 3 on node1, with exit code 0, 1.0 s before\n"),
            std::string::npos);
}

TEST(Text, SaysThatARankLeftJustWhenItsPeersFailed) {
  Record record = told_step();
  add_lost_peer(record, 0, at(5s));
  add_success(record, 3, at(5s + 3ms));
  const auto text = text_of(record);
  EXPECT_NE(text.find("  left early: rank 3 on node1, with exit code 0, just then\n"),
            std::string::npos);
  EXPECT_NE(text.find("this rank blames a peer: another rank exited earlier"), std::string::npos);
}

TEST(Text, ShowsWhyADataLoadersWorkerFailed) {
  Record record = told_step();
  add_exception(record, 2,
                "ValueError: Caught ValueError in DataLoader worker process 0.\n"
                "Original Traceback (most recent call last):\n"
                "  File \"worker.py\", line 302, in _worker_loop\n"
                "    data = fetcher.fetch(index)\n"
                "           ^^^^^^^^^^^^^^^^^^^^\n"
                "  File \"train.py\", line 27, in __getitem__\n"
                "    raise ValueError(path)\n"
                "ValueError: sample 3 is broken\n",
                at(5s));
  EXPECT_NE(text_of(record).find(
                "  error     : ValueError: Caught ValueError in DataLoader worker process 0.\n"
                "      File \"train.py\", line 27, in __getitem__\n"
                "        raise ValueError(path)\n"
                "    ValueError: sample 3 is broken\n"),
            std::string::npos)
      << text_of(record);
}

TEST(Text, BreaksALongMessage) {
  Record record = told_step();
  add_exception(record, 2,
                "RuntimeError: [/" + std::string(50, 'x') +
                    "/pair.cc:553] Connection closed by peer [10.0.0.1]:4711",
                at(5s));
  EXPECT_NE(text_of(record).find("/pair.cc:553]\n    Connection closed by peer [10.0.0.1]:4711\n"),
            std::string::npos)
      << text_of(record);
}

TEST(Text, SaysThatMusterEndedARankOnlyWhereItDid) {
  Record record = told_step();
  record.ending = at(6s);
  RankEnd& first = add_exception(record, 2, "ImportError: x", at(5s));
  first.ended_by_muster = true;
  first.time = at(7s);
  EXPECT_NE(text_of(record).find("  exitcode  : 1 (pid: 4702)\n"), std::string::npos);
  first.wait_status = SIGTERM;
  EXPECT_NE(text_of(record).find("sent by muster because the rank hung at exit\n"),
            std::string::npos);
}

TEST(Text, HasTheSubmitHostsTime) {
  EXPECT_NE(text_of(step_with_exception(), {.utc_offset = 90min})
                .find("time      : 2026-01-01_01:30:12.000"),
            std::string::npos);
}

TEST(Text, ShowsTheLinesOfAMessageAndTheEndOfALongTraceback) {
  Record record = told_step();
  RankEnd& first = add_exception(
      record, 5, "RuntimeError: Error(s) in loading state_dict:\n\tMissing key\n\tUnexpected key",
      at(12s));
  for (int i = 0; i < 40; ++i) first.exception->traceback += "  frame " + std::to_string(i) + "\n";
  const auto text = text_of(record);
  EXPECT_NE(
      text.find(
          "  error     : RuntimeError: Error(s) in loading state_dict:\n     Missing key\n     Unexpected key\n  traceback : its last lines\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("    frame 39\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("frame 20\n"), std::string::npos) << text;
}

TEST(Text, HasColorsOnlyIfTheCallerWantsThem) {
  EXPECT_EQ(text_of(step_with_exception()).find('\x1b'), std::string::npos);
  EXPECT_NE(text_of(step_with_exception(), {.color = true}).find("\x1b[1mRoot Cause"),
            std::string::npos);
}

std::string hostile(fixtures::RandomText& random) {
  static const std::vector<std::string> pieces{"\n",
                                               "\r",
                                               "\x1b[2J",
                                               "\xE4\xB8\xAD",
                                               "\xFF",
                                               "x",
                                               "Error: ",
                                               "\t",
                                               "\xC2\x9B",
                                               " ",
                                               "connection reset by peer"};
  return random.below(2) == 0 ? random.bytes(300) : random.pieces(pieces, 120);
}

Moment any_moment(fixtures::RandomText& random) {
  switch (random.below(4)) {
    case 0:
      return at(std::chrono::nanoseconds::max(), std::chrono::nanoseconds::max());
    case 1:
      return at(std::chrono::nanoseconds::min(), std::chrono::nanoseconds::min());
    default:
      return at(std::chrono::milliseconds(random.below(100'000)),
                std::chrono::milliseconds(random.below(100)));
  }
}

Record hostile_record(fixtures::RandomText& random) {
  static const std::vector<std::string> states{"",          "TIMEOUT", "NODE_FAIL",
                                               "CANCELLED", "PENDING", "\x1b[1m"};
  Record record = made_up_step(static_cast<std::uint32_t>(1 + random.below(5)), 4);
  record.program = hostile(random);
  record.step = hostile(random);
  record.slurm = {random.pick(states), hostile(random)};
  record.srun_wait_status = static_cast<std::int32_t>(random.below(70000));
  for (auto& node : record.nodes) {
    node.name = hostile(random);
    node.remark = random.below(2) == 0 ? hostile(random) : "";
    node.state = static_cast<NodeState>(random.below(5));
    node.stuck_ranks = {3, 1, 2};
    node.last_word = any_moment(random);
  }
  for (std::uint32_t rank = 0; rank < record.ranks; ++rank) {
    RankEnd& end =
        add_end(record, rank, static_cast<std::int32_t>(random.below(70000)), any_moment(random));
    end.ended_by_muster = random.below(3) == 0;
    if (random.below(2) == 0)
      end.exception = Exception{hostile(random), hostile(random), any_moment(random)};
    end.last_lines = {hostile(random), hostile(random)};
    end.last_lines_file = hostile(random);
  }
  return record;
}

bool is_printable(std::string_view line) {
  return text::printable_path(line) == line;
}

TEST(Text, FitsOneScreenWhateverHappened) {
  fixtures::RandomText random(7);
  for (int i = 0; i < 500; ++i) {
    Report report = make_report(hostile_record(random), {});
    const std::size_t room = i % 2 == 0 ? max_report_lines : max_report_lines + max_attempts_lines;
    if (i % 2 == 1) report = with_earlier(report.attempts, make_report(hostile_record(random), {}));
    const std::string text =
        to_text(report, {.report_file = hostile(random), .logs = hostile(random)});
    ASSERT_TRUE(text.ends_with("\n"));
    const auto lines = text::split(std::string_view(text).substr(0, text.size() - 1), '\n');
    ASSERT_LE(lines.size(), room) << text;
    for (const auto line : lines) {
      ASSERT_LE(std::ranges::count_if(line, text::starts_character), max_report_columns) << line;
      ASSERT_TRUE(is_printable(line)) << line;
    }
    ASSERT_TRUE(is_printable(summary(report))) << summary(report);
    const auto line = attempt_summary(report.attempts.front());
    ASSERT_TRUE(is_printable(line)) << line;
  }
}

TEST(Summary, NamesTheFirstFailure) {
  EXPECT_EQ(summary(make_report(step_with_exception(), {})),
            "rank 5 on node2 failed first: RuntimeError: boom");
}

TEST(Summary, HasTheExceptionThatTheRanksOwnLastLinesName) {
  Record record = made_up_step(2, 4);
  record.srun_wait_status = exited(1);
  RankEnd& end = add_end(record, 5, exited(1), at(5s));
  end.last_lines = {"Traceback (most recent call last):", "[rank5]: KeyError: 'accuracy'"};
  add_victim(record, 2, at(6s));
  const auto expect = [&record](const std::string& reason) {
    const auto report = make_report(record, {});
    EXPECT_EQ(summary(report), "rank 5 on node2 failed first: " + reason);
    EXPECT_EQ(failure_text(report), "rank 5 on node2: " + reason);
  };
  expect("exit code 1 (KeyError: 'accuracy')");
  record.ends[0].wait_status = signalled(SIGABRT);
  expect("SIGABRT (abort) (KeyError: 'accuracy')");
  record.ends[0].wait_status = signalled(SIGKILL);
  expect("SIGKILL (killed)");  // the lines may be from long before
}

TEST(Summary, ShowsAsMuchOfALongExceptionAsALineMayHave) {
  Record record = made_up_step(1, 1);
  record.srun_wait_status = exited(1);
  add_end(record, 0, exited(1), at(5s)).last_lines = {"ValueError: " + std::string(400, 'x')};
  const auto text = summary(make_report(record, {}));
  EXPECT_LT(text.size(), 260U);
  EXPECT_TRUE(text.ends_with("x...)")) << text;
}

TEST(Summary, OfSuccessIsOneLine) {
  Record record = made_up_step(2, 1);
  add_success(record, 0, at(19s));
  add_success(record, 1, at(19s));
  EXPECT_EQ(
      summary(make_report(record, {})),
      "2 ranks on 2 nodes exited with code 0 after 20.0 s; the first rank started after 1.0 s");
}

TEST(Summary, NamesAllLostNodesAsOneSentence) {
  Record record = told_step();
  for (auto& node : record.nodes) node.state = NodeState::lost;
  EXPECT_EQ(summary(make_report(record, {})), "2 nodes were lost: node1, node2");
  for (auto& node : record.nodes) node.state = NodeState::agent_gone;
  EXPECT_EQ(summary(make_report(record, {})),
            "2 nodes no longer have muster's agent: node1, node2");
}

// srun cancels its own job because of it.
TEST(Summary, CallsTheUsersOwnInterruptionNoCancelledJob) {
  Record record = told_step();
  record.slurm.job_state = "CANCELLED";
  record.signals = {{SIGINT, at(5s)}};
  EXPECT_EQ(summary(make_report(record, {})), "this srun was sent SIGINT (Ctrl-C)");
  record.signals.clear();
  add_end(record, 0, signalled(SIGINT), at(5s));
  EXPECT_EQ(summary(make_report(record, {})), "this srun was sent SIGINT (Ctrl-C)");
}

TEST(Summary, SaysWhoseDoingItWas) {
  const auto summary_of = [](const char* state) {
    Record record = told_step();
    record.slurm.job_state = state;
    return summary(make_report(record, {}));
  };
  EXPECT_EQ(summary_of("TIMEOUT"), "the job reached its time limit");
  EXPECT_EQ(summary_of("PREEMPTED"), "Slurm preempted the job");
  EXPECT_EQ(summary_of("CANCELLED"), "the job was cancelled");
  EXPECT_EQ(summary_of("PENDING"), "Slurm requeued the job");
  EXPECT_EQ(summary_of("NODE_FAIL"), "Slurm lost a node (NODE_FAIL)");
}

}  // namespace
}  // namespace muster::report
