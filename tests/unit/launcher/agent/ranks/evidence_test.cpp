#include "launcher/agent/ranks/evidence.hpp"

#include "fixtures/scratch_directory.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <list>

namespace muster::ranks {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int killed = SIGKILL;
constexpr int code_1 = 1 << 8;
constexpr int code_137 = 137 << 8;

report::Moment as_it_is(Clock::time_point time) {
  return {.time = time.time_since_epoch(), .error = 1us};
}

TEST(KilledForMemory, IsTheRankWhoseOwnGroupSaysSo) {
  const OomKills own{.in_task = true, .nearby = true};
  EXPECT_TRUE(killed_for_memory(own, killed, false));
  EXPECT_TRUE(killed_for_memory(own, code_1, false));  // a data loader's worker was killed
  EXPECT_TRUE(killed_for_memory(own, killed, true));
  EXPECT_FALSE(killed_for_memory(own, 0, false));
}

TEST(KilledForMemory, IsAKilledRankWhereAGroupThatItSharesSaysSo) {
  const OomKills nearby{.in_task = false, .nearby = true};
  EXPECT_TRUE(killed_for_memory(nearby, killed, false));
  EXPECT_TRUE(killed_for_memory(nearby, code_137, false));
  EXPECT_FALSE(killed_for_memory(nearby, code_1, false));
  EXPECT_FALSE(killed_for_memory(nearby, SIGTERM, false));
  EXPECT_FALSE(killed_for_memory(nearby, killed, true));  // killed by muster
}

TEST(KilledForMemory, IsNoRankWhereNothingWasCounted) {
  EXPECT_FALSE(killed_for_memory({}, killed, false));
  EXPECT_FALSE(killed_for_memory({}, code_137, false));
}

class EvidenceTest : public testing::Test {
 protected:
  report::RankEnd end_of(const Rank& rank) {
    Evidence evidence({scratch_.path("0/error.json")}, {});
    return evidence.of(0, rank, as_it_is);
  }

  static Rank ended_with(std::int32_t status) {
    const auto now = Clock::now();
    return {.place = {.rank = 4, .local_rank = 0, .pid = 7},
            .start = now - 1min,
            .end = now + 1s,
            .wait_status = status};
  }

  void write_error() const {
    std::filesystem::create_directory(scratch_.path("0"));
    scratch_.write(
        "0/error.json",
        R"({"message":{"message":"ValueError: boom","extraInfo":{"py_callstack":"in load"}}})");
  }

  const fixtures::ScratchDirectory scratch_;
};

TEST_F(EvidenceTest, IsTheEndItselfWhereThereIsNoMore) {
  const auto rank = ended_with(code_1);
  const auto end = end_of(rank);
  EXPECT_EQ(end.place, rank.place);
  EXPECT_EQ(end.wait_status, code_1);
  EXPECT_EQ(end.time, as_it_is(*rank.end));
  EXPECT_FALSE(end.ended_by_muster);
  EXPECT_FALSE(end.out_of_memory);
  EXPECT_FALSE(end.exception);
  EXPECT_TRUE(end.last_lines.empty());
}

TEST_F(EvidenceTest, HasTheExceptionWithTheTimeOfItsFile) {
  write_error();
  const auto rank = ended_with(code_1);
  const auto end = end_of(rank);
  ASSERT_TRUE(end.exception);
  EXPECT_EQ(end.exception->message, "ValueError: boom");
  ASSERT_TRUE(end.exception->time);
  EXPECT_LT(end.exception->time->time, end.time.time);
  EXPECT_GT(end.exception->time->time, as_it_is(*rank.start).time);
  EXPECT_GT(end.exception->time->error, 1us);  // plus the file system's tick
}

TEST_F(EvidenceTest, TakesNoTimeAtWhichTheRankDidNotRun) {
  write_error();
  auto rank = ended_with(code_1);
  rank.end = *rank.start + 1s;  // the file's time is later: it is from another machine's clock
  ASSERT_TRUE(end_of(rank).exception);
  EXPECT_FALSE(end_of(rank).exception->time);
  rank.start = Clock::now() + 1min;
  rank.end = *rank.start + 1s;
  EXPECT_FALSE(end_of(rank).exception->time);
}

TEST_F(EvidenceTest, IsNotLookedForAfterSuccess) {
  write_error();
  EXPECT_FALSE(end_of(ended_with(0)).exception);
}

// As `import muster` makes faulthandler write it.
TEST_F(EvidenceTest, HasTheStackAtAFatalSignalAndAtNoOtherEnd) {
  std::filesystem::create_directory(scratch_.path("0"));
  scratch_.write("0/fault.txt",
                 "Fatal Python error: Aborted\n\nCurrent thread 0x1 (most recent call first):\n"
                 "  File \"train.py\", line 3 in f\n");
  for (const int status : {SIGABRT, SIGSEGV, SIGSEGV | 0x80, (128 + SIGABRT) << 8}) {
    const auto end = end_of(ended_with(status));
    ASSERT_TRUE(end.exception) << status;
    EXPECT_EQ(end.exception->message, "Fatal Python error: Aborted");
    EXPECT_TRUE(end.exception->time);
  }
  for (const int status : {SIGKILL, SIGTERM, code_1, code_137, 0})
    EXPECT_FALSE(end_of(ended_with(status)).exception) << status;
}

TEST_F(EvidenceTest, HasTheExceptionWhereTeardownAbortedAfterIt) {
  write_error();
  scratch_.write("0/fault.txt", "Fatal Python error: Aborted\n");
  ASSERT_TRUE(end_of(ended_with(SIGABRT)).exception);
  EXPECT_EQ(end_of(ended_with(SIGABRT)).exception->message, "ValueError: boom");
}

// As the start hook writes them.
TEST_F(EvidenceTest, HasWhatPythonsStartHookHasWritten) {
  std::filesystem::create_directory(scratch_.path("0"));
  scratch_.write("0/thread.json",
                 R"({"message": {"message": "OSError: disk", "extraInfo": {"thread": "loader"}}})");
  ASSERT_TRUE(end_of(ended_with(code_1)).exception);
  EXPECT_EQ(end_of(ended_with(code_1)).exception->message, "thread loader: OSError: disk");
  scratch_.write("0/exception.json", R"({"message": {"message": "KeyError: 'x'"}})");
  const auto exception = end_of(ended_with(code_1)).exception;
  ASSERT_TRUE(exception);
  EXPECT_EQ(exception->message, "KeyError: 'x'\nbefore that, thread loader: OSError: disk");
  EXPECT_TRUE(exception->time);
}

TEST_F(EvidenceTest, SaysThatNobodyKnowsTheStatus) {
  auto rank = ended_with(0);
  rank.wait_status.reset();
  EXPECT_EQ(end_of(rank).wait_status, report::unknown_status);
}

TEST_F(EvidenceTest, HasTheLastLinesOfAFailureAndNotOfAVictim) {
  Script script("echo 'the last words' >&2; echo ready; read line; exit 1", {},
                scratch_.path("err"));
  EXPECT_EQ(script.line(), "ready");
  std::vector<Rank> ranks;
  auto& rank = ranks.emplace_back(ended_with(code_1));
  rank.process = Process::open(script.pid());
  rank.end.reset();
  Evidence evidence({""}, {});
  evidence.look(ranks);
  script.go_on();
  script.status();
  rank.end = Clock::now();
  const auto failure = evidence.of(0, rank, as_it_is);
  EXPECT_EQ(failure.last_lines, (std::vector<std::string>{"the last words"}));
  EXPECT_EQ(failure.last_lines_file, scratch_.path("err"));
  rank.signalled = true;
  EXPECT_TRUE(evidence.of(0, rank, as_it_is).last_lines.empty());
}

TEST_F(EvidenceTest, SaysThatLinesInAFileOfTwoRanksMayBeTheOthers) {
  std::vector<Rank> ranks;
  std::list<Script> scripts;
  for (int id = 0; id < 2; ++id) {
    scripts.emplace_back("echo words >&2; echo ready; read line; exit 1",
                         std::vector<std::string>{}, scratch_.path("err"));
    EXPECT_EQ(scripts.back().line(), "ready");
    auto& rank = ranks.emplace_back(ended_with(code_1));
    rank.process = Process::open(scripts.back().pid());
    rank.end.reset();
  }
  Evidence evidence({"", ""}, {});
  evidence.look(ranks);
  for (auto& script : scripts) {
    script.go_on();
    script.status();
  }
  for (auto& rank : ranks) rank.end = Clock::now();
  EXPECT_TRUE(evidence.of(0, ranks[0], as_it_is).last_lines_shared);
  EXPECT_FALSE(evidence.of(0, ranks[0], as_it_is).last_lines.empty());
}

}  // namespace
}  // namespace muster::ranks
