#include "launcher/agent/ranks/shared_output.hpp"

#include "core/report/report.hpp"
#include "fixtures/scratch_directory.hpp"
#include "launcher/os/descriptor.hpp"

#include <array>
#include <csignal>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::ranks {
namespace {

constexpr int code_1 = 1 << 8;

report::Record step_of_ends(std::uint32_t ranks) {
  report::Record record;
  record.ranks = ranks;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    report::RankEnd end;
    end.place.rank = rank;
    end.wait_status = code_1;
    end.time.time = std::chrono::seconds(5 + rank);
    record.ends.push_back(std::move(end));
  }
  return record;
}

// As torch 2.13 writes it; the first to end was not the first to fail.
TEST(SharedOutput, TellsByTorchsNumbersWhichRankFailedFirst) {
  auto record = step_of_ends(3);
  record.over.time = std::chrono::seconds(20);
  add_lines_of_ranks(
      record,
      "step 3\n[rank2]: Traceback\n[rank0]: RuntimeError: Connection closed by peer [10.0.0.1]\n"
      "[rank2]: KeyError: 'x'\n[rank1]: RuntimeError: Connection closed by peer [10.0.0.1]\n",
      "slurm-7.out");
  const auto report = report::make_report(record, {});
  ASSERT_TRUE(report.first);
  EXPECT_TRUE(report.certain);
  EXPECT_EQ(report.first->end.place.rank, 2U);
  EXPECT_EQ(report.first->end.last_lines.back(), "[rank2]: KeyError: 'x'");
  EXPECT_EQ(report.first->end.last_lines_file, "slurm-7.out");
}

// The stack that faulthandler has saved says only where.
TEST(SharedOutput, TellsOfARankThatAbortedWhatItSaid) {
  auto record = step_of_ends(2);
  record.ends[1].wait_status = SIGABRT;
  record.ends[1].exception = report::Exception{"Fatal Python error: Aborted", "", {}, true};
  record.ends[0].exception = report::Exception{"KeyError: 'x'", "", {}};
  add_lines_of_ranks(record, "[rank1]:[E x.cpp:1] boom\n[rank0]:[E x.cpp:1] boom\n", "out");
  EXPECT_EQ(record.ends[1].last_lines.front(), "[rank1]:[E x.cpp:1] boom");
  EXPECT_TRUE(record.ends[0].last_lines.empty());
}

// It was already exiting when muster ended it.
TEST(SharedOutput, TellsOfARankThatMusterEndedBehindItsException) {
  auto record = step_of_ends(2);
  record.over.time = std::chrono::seconds(20);
  record.ends[1].ended_by_muster = true;
  record.ends[1].wait_status = SIGTERM;
  add_lines_of_ranks(
      record, "[rank1]: KeyError: 'x'\n[rank0]: RuntimeError: Connection reset by peer\n", "out");
  const auto report = report::make_report(record, {});
  EXPECT_TRUE(report.certain);
  EXPECT_EQ(report.first->end.place.rank, 1U);
}

TEST(SharedOutput, GivesNoRankALineWithoutItsNumber) {
  auto record = step_of_ends(2);
  record.ends[1].last_lines = {"of a file of its own"};
  add_lines_of_ranks(record, "KeyError: 'x'\n[rank1]: KeyError: 'x'\n[rank7]: x\n", "out");
  EXPECT_TRUE(record.ends[0].last_lines.empty());
  EXPECT_EQ(record.ends[1].last_lines, (std::vector<std::string>{"of a file of its own"}));
}

TEST(SharedOutput, IsWhatHasComeIntoTheFileSince) {
  const fixtures::ScratchDirectory scratch;
  scratch.write("out", "before\n");
  const os::Descriptor file(open(scratch.path("out").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  const SharedOutput output(file.get());
  EXPECT_EQ(output.text(), "");
  ASSERT_EQ(write(file.get(), "since\n", 6), 6);
  EXPECT_EQ(output.text(), "since\n");
  EXPECT_EQ(output.path(), scratch.path("out"));
}

TEST(SharedOutput, IsNothingOfAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const os::Descriptor reading(ends[0]);
  const os::Descriptor writing(ends[1]);
  EXPECT_EQ(SharedOutput(writing.get()).text(), "");
  EXPECT_EQ(SharedOutput(-1).text(), "");
}

}  // namespace
}  // namespace muster::ranks
