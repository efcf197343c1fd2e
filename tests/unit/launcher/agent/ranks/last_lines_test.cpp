#include "launcher/agent/ranks/last_lines.hpp"

#include "core/report/record.hpp"
#include "core/text/quote.hpp"
#include "fixtures/scratch_directory.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <sys/stat.h>

namespace muster::ranks {
namespace {

using namespace std::string_literals;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

Lines lines_in(const StderrFile& file) {
  const auto read = read_last_lines(file, std::nullopt, 5s);
  return read ? read->lines : Lines{"no answer"};
}

TEST(LastLines, AreTheLastOnesInTheirOrder) {
  EXPECT_EQ(last_lines("one\ntwo\nthree\n"), (Lines{"one", "two", "three"}));
  EXPECT_EQ(last_lines("one\ntwo"), (Lines{"one", "two"}));
  EXPECT_EQ(last_lines(""), Lines{});
  std::string many;
  for (int line = 0; line < 30; ++line) many += std::to_string(line) + "\n";
  const auto lines = last_lines(many);
  EXPECT_EQ(lines.size(), report::max_last_lines);
  EXPECT_EQ(lines.front(), "20");
  EXPECT_EQ(lines.back(), "29");
}

TEST(LastLines, LeaveEmptyOnesOut) {
  EXPECT_EQ(last_lines("\n\none\n\n\ntwo\n\n"), (Lines{"one", "two"}));
}

// As torch writes them before an abort.
TEST(LastLines, LeaveOutTheFramesOfACppStack) {
  std::string frames =
      "Exception raised from ncclCommWatchdog at ../x.cpp:1418 (most recent call first):\n";
  for (int frame = 0; frame < 12; ++frame)
    frames += "frame #" + std::to_string(frame) +
              ": <unknown function> + 0x94ac3 (0x7f5b in libc.so.6)\n";
  const std::string what = "  what():  [PG 1 Rank 7] Process group watchdog thread terminated";
  EXPECT_EQ(last_lines("terminate called\n" + what + "\n" + frames + "\n" + frames),
            (Lines{"terminate called", what}));
  EXPECT_EQ(
      last_lines_of_rank("[rank3]: boom\n[rank3]: frame #0: abort + 0x1 (0x2 in x)\n", 3).lines,
      (Lines{"[rank3]: boom"}));
}

TEST(LastLines, ShowOfAProgressBarWhatATerminalShows) {
  EXPECT_EQ(last_lines("  1%\r 50%\r100%\n"), (Lines{"100%"}));
  EXPECT_EQ(last_lines(" 50%\r100%\r\n"), (Lines{"100%"}));
  EXPECT_EQ(last_lines(" 49%\r 50%"), (Lines{" 50%"}));
}

// As torch 2.13 writes them.
TEST(LastLines, OfOneRankAmongSeveralAreThoseWithItsNumber) {
  const auto* const text =
      "[rank3]: Traceback\n[rank13]: Traceback\n[rank3]: KeyError: 'x'\nwarning\n";
  const auto own = last_lines_of_rank(text, 3);
  EXPECT_EQ(own.lines, (Lines{"[rank3]: Traceback", "[rank3]: KeyError: 'x'"}));
  EXPECT_FALSE(own.shared);
}

TEST(LastLines, AreAnybodysWhereNoneHasTheRanksNumber) {
  const auto shared = last_lines_of_rank("[rank3]: KeyError: 'x'\nwarning\n[rank]: x\n", 4);
  EXPECT_EQ(shared.lines, (Lines{"warning", "[rank]: x"}));
  EXPECT_TRUE(shared.shared);
}

TEST(LastLines, ArePrintableAndShort) {
  const auto lines = last_lines("a\x1b[31mb\xff\0c\n"s + std::string(5000, 'x') + "\n");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines.front().find('\x1b'), std::string::npos);
  EXPECT_EQ(lines.back(), std::string(report::max_last_line_bytes, 'x'));
  for (const auto& line :
       last_lines("ä" + std::string(600, '\x01') + "ä\n" + std::string(511, 'x') + "ä\n")) {
    EXPECT_LE(line.size(), report::max_last_line_bytes);
    EXPECT_TRUE(text::is_utf8(line)) << line;
  }
}

TEST(LastLines, AreReadFromTheFileThatAProcessHasAsStderr) {
  const fixtures::ScratchDirectory scratch;
  Script script("echo 'boom: it failed' >&2; echo ready; sleep 60", {}, scratch.path("err"));
  EXPECT_EQ(script.line(), "ready");
  const auto file = stderr_file("/proc", script.pid());
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path, scratch.path("err"));
  EXPECT_EQ(lines_in(*file), (Lines{"boom: it failed"}));
}

TEST(LastLines, AreThoseAtTheEndOfALongFile) {
  const fixtures::ScratchDirectory scratch;
  const auto path = scratch.write("err", std::string(100000, 'x') + "\nlast\n");
  EXPECT_EQ(lines_in({path}), (Lines{"last"}));
}

TEST(LastLines, AreNotLookedForInAPipeOrADevice) {
  Script to_device("echo ready; sleep 60");
  Script to_pipe("exec 2>&1; echo ready; exec sleep 60");
  for (auto* const script : {&to_device, &to_pipe}) {
    EXPECT_EQ(script->line(), "ready");
    EXPECT_FALSE(stderr_file("/proc", script->pid()));
  }
}

TEST(LastLines, AreNotThoseOfAnotherFileByNow) {
  const fixtures::ScratchDirectory scratch;
  Script script("echo old >&2; echo ready; sleep 60", {}, scratch.path("err"));
  EXPECT_EQ(script.line(), "ready");
  const auto file = stderr_file("/proc", script.pid());
  ASSERT_TRUE(file);
  if (file->inode == 0) GTEST_SKIP() << "this kernel does not say which file it is";
  scratch.write("other", "another's\n");
  std::filesystem::rename(scratch.path("other"), scratch.path("err"));
  EXPECT_EQ(lines_in(*file), Lines{});
}

TEST(LastLines, AreNotReadFromAFifoOrThroughALink) {
  const fixtures::ScratchDirectory scratch;
  ASSERT_EQ(mkfifo(scratch.path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(lines_in({scratch.path("fifo")}), Lines{});
  scratch.write("file", "text\n");
  std::filesystem::create_symlink(scratch.path("file"), scratch.path("link"));
  EXPECT_EQ(lines_in({scratch.path("link")}), Lines{});
  EXPECT_EQ(lines_in({scratch.path("none")}), Lines{});
}

}  // namespace
}  // namespace muster::ranks
