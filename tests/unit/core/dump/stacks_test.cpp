#include "core/dump/stacks.hpp"

#include "core/error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::dump {
namespace {

constexpr std::string_view two_threads = R"([
  {"pid": 7, "thread_id": 1, "thread_name": "MainThread", "os_thread_id": 7, "active": true,
   "owns_gil": false, "frames": [
     {"name": "all_reduce", "filename": "/venv/torch/distributed/distributed_c10d.py",
      "module": null, "short_filename": "distributed_c10d.py", "line": 2501, "locals": null},
     {"name": "main", "filename": "train.py", "module": null, "short_filename": "train.py",
      "line": 40, "locals": null}], "process_info": null},
  {"pid": 7, "thread_id": 2, "thread_name": "pin", "frames": []}])";

TEST(PySpy, HasTheFramesOfEachThreadInnermostFirst) {
  const auto threads = stacks_of_py_spy(two_threads);
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_TRUE(threads[0].main);
  EXPECT_EQ(threads[0].frames,
            (std::vector<Frame>{{"all_reduce", "/venv/torch/distributed/distributed_c10d.py", 2501},
                                {"main", "train.py", 40}}));
  EXPECT_EQ(threads[1].name, "pin");
  EXPECT_FALSE(threads[1].main);
}

TEST(PySpy, MayWarnBeforeItsAnswer) {
  EXPECT_EQ(stacks_of_py_spy("Warning: old kernel\n[{\"thread_name\": \"MainThread\"}]").size(),
            1U);
}

TEST(PySpy, TakesTheFirstThreadForTheMainOneWhereNoneHasTheName) {
  EXPECT_TRUE(stacks_of_py_spy(R"([{"thread_name": "a"}, {"thread_name": "b"}])").front().main);
}

TEST(PySpy, IsRefusedWhereItsAnswerIsNoList) {
  for (const auto* const text : {"", "{}", "Error: Permission denied", "[{\"a\": ", "7"}) {
    EXPECT_THROW(stacks_of_py_spy(text), Error) << text;
  }
  EXPECT_THROW(stacks_of_py_spy(std::string(64, '[') + std::string(64, ']')), Error);
}

TEST(PySpy, HasNoMoreThreadsAndFramesThanTheBounds) {
  std::string frames;
  for (int i = 0; i < 200; ++i) frames += std::string(i > 0 ? "," : "") + R"({"name": "f"})";
  std::string text = "[";
  for (int i = 0; i < 200; ++i) {
    text += std::string(i > 0 ? "," : "") + R"({"frames": [)" + frames + "]}";
  }
  const auto threads = stacks_of_py_spy(text + "]");
  ASSERT_EQ(threads.size(), max_threads);
  EXPECT_EQ(threads.front().frames.size(), max_frames);
}

TEST(PySpy, ShowsNoAddressesWhichDifferFromRankToRank) {
  const auto threads = stacks_of_py_spy(R"([{"frames": [{"name": "0x7fe4c9742f16"}]}])");
  EXPECT_EQ(threads.at(0).frames.at(0).function, "?");
}

TEST(PySpy, CannotMoveATerminal) {
  const auto threads = stacks_of_py_spy(R"([{"frames": [{"name": "\u001b[2J", "line": -3}]}])");
  EXPECT_EQ(threads.at(0).frames.at(0), (Frame{"\\x1b[2J", "", 0}));
}

TEST(Faulthandler, HasItsMainThreadLast) {
  const auto threads = stacks_of_faulthandler(
      "Thread 0x00007f01 (most recent call first):\n  File \"/a/worker.py\", line 3 in run\n\n"
      "Current thread 0x00007f02 (most recent call first):\n  File \"train.py\", line 12 in step\n"
      "  File \"train.py\", line 40 in <module>\n");
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_TRUE(threads[1].main);
  EXPECT_EQ(threads[1].frames,
            (std::vector<Frame>{{"step", "train.py", 12}, {"<module>", "train.py", 40}}));
}

TEST(Faulthandler, HasNothingInAnotherText) {
  EXPECT_TRUE(stacks_of_faulthandler("Segmentation fault\n  File \"a\", line 1 in b\n").empty());
}

TEST(Faulthandler, MayShowOneThreadOnly) {
  const auto threads =
      stacks_of_faulthandler("Stack (most recent call first):\n  File \"a.py\", line 1 in b\n");
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_TRUE(threads[0].main);
}

TEST(Package, HasTheNamesOfItsThreadsAndTheirFrames) {
  const auto threads = stacks_of_package(
      R"({"threads": [{"name": "MainThread", "frames": "  File \"a.py\", line 3 in f\n"},)"
      R"( {"name": "pin", "frames": "  File \"b.py\", line 7 in g\n  ...\n"}]})");
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_TRUE(threads[0].main);
  EXPECT_EQ(threads[0].frames, (std::vector<Frame>{{"f", "a.py", 3}}));
  EXPECT_EQ(threads[1].name, "pin");
  EXPECT_EQ(threads[1].frames, (std::vector<Frame>{{"g", "b.py", 7}}));
}

TEST(Package, HasItsMainThreadLastWhereNoneHasTheName) {
  const auto threads = stacks_of_package(
      R"({"threads": [{"name": "thread 0x7", "frames": ""}, {"name": "thread 0x8", "frames": ""}]})");
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_TRUE(threads[1].main);
}

TEST(Package, IsRefusedWhereItsAnswerIsNoneOrSaysWhyThereIsNone) {
  for (const auto* const text : {"", "[]", "7", "{}", R"({"threads": 3})", R"({"threads": [)",
                                 R"({"error": "RuntimeError: more than 100 threads"})"}) {
    EXPECT_THROW(stacks_of_package(text), Error) << text;
  }
  EXPECT_THROW(stacks_of_package(std::string(64, '[') + std::string(64, ']')), Error);
  EXPECT_TRUE(stacks_of_package(R"({"threads": [1, {"name": 2}, {"frames": 3}]})").empty());
}

TEST(Package, HasNoMoreThreadsAndFramesThanTheBounds) {
  std::string frames;
  for (int i = 0; i < 200; ++i) frames += R"(  File \"a.py\", line 3 in f\n)";
  std::string text = R"({"threads": [)";
  for (int i = 0; i < 200; ++i)
    text += std::string(i > 0 ? "," : "") + R"({"frames": ")" + frames + R"("})";
  const auto threads = stacks_of_package(text + "]}");
  ASSERT_EQ(threads.size(), max_threads);
  EXPECT_EQ(threads.front().frames.size(), max_frames);
}

TEST(PySpy, DoesNotShowThePackagesOwnThread) {
  const auto threads = stacks_of_py_spy(
      R"([{"thread_name": "MainThread"}, {"frames": [{"name": "_serve", "filename": "/x/muster/_recorder.py"}]},)"
      R"( {"frames": [{"name": "_serve", "filename": "/x/their/server.py"}]}])");
  EXPECT_EQ(threads.size(), 2U);
}

TEST(Debugger, ReadsGdbsThreads) {
  const auto threads = stacks_of_debugger(
      "[New LWP 8]\n\nThread 2 (Thread 0x7f (LWP 8) \"pt\"):\n#0  0x00007f01 in poll () from "
      "/lib/libc.so.6\n\nThread 1 (Thread 0x7e (LWP 7) \"a\"):\n#0  0x00007f02 in read (fd=3) from "
      "/lib/libc.so.6\n#1  main (argc=1) at /src/a.c:17\n",
      7);
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_FALSE(threads[0].main);
  EXPECT_TRUE(threads[1].main);
  EXPECT_EQ(threads[1].frames,
            (std::vector<Frame>{{"read", "/lib/libc.so.6", 0}, {"main", "/src/a.c", 17}}));
}

TEST(Debugger, ReadsEuStacksThreads) {
  const auto threads = stacks_of_debugger(
      "PID 7 - process\nTID 7:\n#0  0x00007f02 read\n#1  0x0000aa main\nTID 8:\n#0  0x00007f poll\n",
      7);
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_TRUE(threads[0].main);
  EXPECT_EQ(threads[0].frames.at(1).function, "main");
}

TEST(Debugger, HasNothingInARefusal) {
  EXPECT_TRUE(stacks_of_debugger("ptrace: Operation not permitted.\nNo threads.\n", 7).empty());
}

}  // namespace
}  // namespace muster::dump
