#include "launcher/agent/ranks/teardown_watch.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/agent/ranks/error_file.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <fstream>

#include <fmt/format.h>

namespace muster::ranks {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* exception = R"({"message": {"message": "ValueError: boom"}})";

// Two running ranks, and a time to end that a test moves forward.
class TeardownWatchTest : public testing::Test {
 protected:
  TeardownWatchTest() {
    for (const std::uint32_t id : {0U, 1U}) {
      fs::create_directory(scratch_.path(std::to_string(id)));
      error_files_.emplace_back(scratch_.path(std::to_string(id) + "/error.json"));
      ranks_.push_back({.place = {.rank = id, .local_rank = id}});
      ranks_.back().process = Process::open(scripts_.at(id).pid());
    }
    begin(10s);
  }

  void begin(std::chrono::milliseconds exit_timeout) {
    watch_.emplace(error_files_, exit_timeout, [this] {
      ++counts_;
      return written_;
    });
  }

  [[nodiscard]] bool has_heard() const {
    pollfd events{watch_->descriptor(), POLLIN, 0};
    return poll(&events, 1, 0) > 0;
  }

  void write(const std::string& text, int rank = 0) {
    scratch_.write(std::to_string(rank) + "/error.json", text);
    EXPECT_TRUE(has_heard());
    watch_->look(start_);
  }

  std::optional<Hanging> after(TeardownWatch::Time::duration time) {
    return watch_->due(start_ + time, ranks_);
  }

  const TeardownWatch::Time start_ = std::chrono::steady_clock::now();
  const fixtures::ScratchDirectory scratch_;
  std::array<Script, 2> scripts_{Script("read line"), Script("read line")};
  std::vector<fs::path> error_files_;
  std::vector<Rank> ranks_;
  std::vector<WrittenByProcess> written_ = {{{1, {}}}, {{2, {}}}};
  int counts_ = 0;
  std::optional<TeardownWatch> watch_;
};

std::string uncaught_by(pid_t process) {
  return fmt::format(
      R"({{"message": {{"message": "KeyError: 'x'", "extraInfo": {{"process": "{}"}}}}}})",
      process);
}

TEST_F(TeardownWatchTest, NamesARankThatRunsOnBehindItsException) {
  EXPECT_FALSE(watch_->next());
  write(exception, 1);
  EXPECT_EQ(watch_->next(), start_ + 2s);
  EXPECT_FALSE(after(9s));
  EXPECT_EQ(watch_->next(), start_ + 10s);
  const auto hanging = after(10s);
  ASSERT_TRUE(hanging);
  EXPECT_EQ(hanging->local_id, 1U);
  EXPECT_EQ(hanging->message, "ValueError: boom");
  EXPECT_FALSE(hanging->writes);
  EXPECT_FALSE(watch_->next());
  EXPECT_FALSE(after(20s));
}

TEST_F(TeardownWatchTest, GivesARankThatWritesMoreTimeAndSaysSoOnce) {
  write(exception, 1);
  for (auto time = 2s; time < 10s; time += 2s) {
    EXPECT_FALSE(after(time));
    written_[1][2].by_calls += ExitDeadline::least_bytes;
  }
  const auto hanging = after(10s);
  ASSERT_TRUE(hanging);
  EXPECT_EQ(hanging->local_id, 1U);
  EXPECT_EQ(hanging->message, "ValueError: boom");
  EXPECT_TRUE(hanging->writes);
  for (auto time = 12s; time < 20s; time += 2s) EXPECT_FALSE(after(time)) << time.count();
  ASSERT_TRUE(after(20s));
  EXPECT_FALSE(watch_->next());
}

TEST_F(TeardownWatchTest, CountsOnlyWhileARankThatHasFailedRuns) {
  EXPECT_FALSE(after(2s));
  EXPECT_EQ(counts_, 0);
  write(exception, 0);
  write(exception, 1);
  EXPECT_FALSE(after(1s));
  EXPECT_EQ(counts_, 0);
  EXPECT_FALSE(after(2s));
  EXPECT_EQ(counts_, 1);
  for (auto& script : scripts_) {
    script.go_on();
    script.status();
  }
  EXPECT_FALSE(after(4s));
  EXPECT_EQ(counts_, 1);
  EXPECT_FALSE(watch_->next());
}

TEST_F(TeardownWatchTest, SaysNothingOfAScriptThatWritesAfterAPythonThatFailed) {
  const pid_t gone = Script("exit").pid();
  scratch_.write("1/exception.json", uncaught_by(gone));
  watch_->look(start_);
  for (auto time = 2s; time <= 10s; time += 2s) {
    EXPECT_FALSE(after(time));
    written_[1][2].by_calls += ExitDeadline::least_bytes;
  }
  EXPECT_FALSE(watch_->next());
}

TEST_F(TeardownWatchTest, NotesWhenTheLastRankHasItsProcessGroup) {
  scratch_.write("0/group", "nccl \n");
  watch_->look(start_);
  EXPECT_FALSE(watch_->group());
  scratch_.write("1/group", "nccl \n");
  watch_->look(start_ + 5s);
  EXPECT_EQ(watch_->group(), start_ + 5s);
  scratch_.write("1/group", "again\n");
  watch_->look(start_ + 9s);
  EXPECT_EQ(watch_->group(), start_ + 5s);
  EXPECT_FALSE(watch_->next());
}

TEST_F(TeardownWatchTest, LooksWhereTheRankSeesItsFiles) {
  fs::create_directory(scratch_.path("elsewhere"));
  scratch_.write("elsewhere/group", "nccl \n");
  scratch_.write("0/group", "nccl \n");
  watch_->look(start_);
  watch_->moved(1, scratch_.path("elsewhere/error.json"), start_ + 1s);
  EXPECT_EQ(watch_->group(), start_ + 1s);
  scratch_.write("elsewhere/error.json", exception);
  watch_->look(start_);
  EXPECT_EQ(after(10s)->local_id, 1U);
}

TEST_F(TeardownWatchTest, NamesEachOfTwo) {
  write(exception, 0);
  write(exception, 1);
  EXPECT_EQ(after(10s)->local_id, 0U);
  EXPECT_EQ(after(10s)->local_id, 1U);
}

TEST_F(TeardownWatchTest, SaysNothingOfARankThatHasEnded) {
  write(exception);
  scripts_[0].go_on();
  scripts_[0].status();
  EXPECT_FALSE(after(10s));
  EXPECT_FALSE(watch_->next());
}

TEST_F(TeardownWatchTest, EndsNothingByAFileThatIsNoWholeException) {
  for (const std::string text : {"", "{", R"({"message": "ValueError: b)", R"({"other": 1})",
                                 "text", R"({"message": "ValueError: boom"} and more)"}) {
    write(text);
    EXPECT_FALSE(after(10s)) << text;
  }
}

TEST_F(TeardownWatchTest, CountsFromTheFirstWriteAndTakesWhatIsThereThen) {
  write("{");
  EXPECT_FALSE(after(9s));
  write(exception);
  EXPECT_EQ(watch_->next(), start_ + 10s);
  EXPECT_TRUE(after(10s));
}

TEST_F(TeardownWatchTest, TakesAWholeFileAfterABrokenOne) {
  write("{");
  EXPECT_FALSE(after(10s));
  write(exception);
  EXPECT_TRUE(after(10s));
}

TEST_F(TeardownWatchTest, TakesAFileThatIsLinkedToItsPlace) {
  const auto other = scratch_.write("other.json", exception);
  fs::create_hard_link(other, error_files_[0]);
  ASSERT_TRUE(has_heard());
  watch_->look(start_);
  EXPECT_TRUE(after(10s));
}

TEST_F(TeardownWatchTest, TakesAFileThatIsMovedToItsPlace) {
  const auto other = scratch_.write("other.json", exception);
  fs::rename(other, error_files_[0]);
  ASSERT_TRUE(has_heard());
  watch_->look(start_);
  EXPECT_TRUE(after(10s));
}

TEST_F(TeardownWatchTest, IsDeafToOtherFilesAndToReaders) {
  scratch_.write("0/fault.txt", exception);
  watch_->look(start_);
  EXPECT_FALSE(watch_->next());
  write(exception);
  EXPECT_TRUE(after(10s));
  EXPECT_TRUE(read_error_file(error_files_[0]));
  EXPECT_FALSE(has_heard());
}

// More events than the kernel keeps: which rank's were dropped is unknown.
TEST_F(TeardownWatchTest, LosesNoRankInAFlood) {
  int most = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> most;
  if (most > 100'000) GTEST_SKIP() << "a queue of " << most;
  for (int i = 0; i <= most / 2 + 1; ++i) {
    scratch_.write("0/a", "");
    scratch_.write("0/b", "");
  }
  scratch_.write("1/error.json", exception);
  while (has_heard()) watch_->look(start_);
  const auto hanging = after(10s);
  ASSERT_TRUE(hanging);
  EXPECT_EQ(hanging->local_id, 1U);
}

TEST_F(TeardownWatchTest, SeesAFileThatWasThereBefore) {
  scratch_.write("0/error.json", exception);
  begin(0s);
  EXPECT_TRUE(after(10s));
}

TEST_F(TeardownWatchTest, FollowsNoLinkToAnotherDirectory) {
  fs::create_directory(scratch_.path("elsewhere"));
  fs::remove(scratch_.path("0"));
  fs::create_directory_symlink(scratch_.path("elsewhere"), scratch_.path("0"));
  begin(10s);
  scratch_.write("elsewhere/error.json", exception);
  EXPECT_FALSE(has_heard());
}

TEST(TeardownWatch, WatchesNothingWhereThereAreNoFiles) {
  const TeardownWatch watch({{}, {}}, 10s, {});
  EXPECT_EQ(watch.descriptor(), -1);
  EXPECT_FALSE(watch.next());
}

TEST(TeardownWatch, DoesWithoutADirectoryThatIsNotThere) {
  const TeardownWatch watch({"/nowhere/0/error.json"}, 10s, {});
  EXPECT_FALSE(watch.next());
}

// As the start hook writes it.
TEST_F(TeardownWatchTest, NamesARankWhosePythonRunsOnBehindItsException) {
  scratch_.write("1/exception.json", uncaught_by(scripts_.at(1).pid()));
  ASSERT_TRUE(has_heard());
  watch_->look(start_);
  const auto hanging = after(10s);
  ASSERT_TRUE(hanging);
  EXPECT_EQ(hanging->local_id, 1U);
  EXPECT_EQ(hanging->message, "KeyError: 'x'");
}

TEST_F(TeardownWatchTest, LeavesARankAloneWhoseScriptContinuesAfterAPythonThatFailed) {
  const pid_t gone = Script("exit").pid();
  for (const pid_t process : {gone, pid_t{0}, pid_t{1}, pid_t{2}}) {
    scratch_.write("1/exception.json", uncaught_by(process));
    watch_->look(start_);
    EXPECT_FALSE(after(10s)) << process;
  }
}

}  // namespace
}  // namespace muster::ranks
