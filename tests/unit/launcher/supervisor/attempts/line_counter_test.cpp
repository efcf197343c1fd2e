#include "launcher/supervisor/attempts/line_counter.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/supervisor/attempts/saved_state.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class LineCounter : public ::testing::Test {
 protected:
  [[nodiscard]] std::string counter() const { return file_ + ".lines"; }
  void write_counter(const std::string& text) const { std::ofstream(counter()) << text; }

  fixtures::ScratchDirectory home_;
  const std::string file_ = home_.path("requeue-c-7-0123");
};

TEST_F(LineCounter, GivesEachLineOfARunItsOwnFileAndTheSameOnesInTheNextRun) {
  const auto file_of_next = [this](std::uint32_t run) {
    return state_file_of_line(file_, take_line_number(file_, run));
  };
  for (std::uint32_t run = 0; run < 3; ++run) {
    EXPECT_EQ(file_of_next(run), file_);
    EXPECT_EQ(file_of_next(run), file_ + "-2");
    EXPECT_EQ(file_of_next(run), file_ + "-3");
  }
}

TEST_F(LineCounter, GivesLinesThatBeginTogetherDifferentNumbers) {
  constexpr int lines = 20;
  for (int i = 0; i < lines; ++i) {
    if (fork() == 0) _exit(static_cast<int>(take_line_number(file_, 1, std::chrono::minutes(1))));
  }
  std::set<int> numbers;
  for (int i = 0; i < lines; ++i) {
    int status = 0;
    wait(&status);
    numbers.insert(WEXITSTATUS(status));
  }
  EXPECT_EQ(numbers.size(), lines);
  EXPECT_EQ(*numbers.rbegin(), lines - 1);
}

TEST_F(LineCounter, MakesTheDirectoryAndIsTheUsersAlone) {
  const auto deep = home_.path("state/muster/requeue-c-7-0123");
  EXPECT_EQ(take_line_number(deep, 0), 0U);
  EXPECT_EQ(take_line_number(deep, 0), 1U);
  EXPECT_EQ(fs::status(deep + ".lines").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(LineCounter, ThatHoldsSomethingElseIsWrittenAnew) {
  for (const auto& text : {std::string(), std::string("x"), std::string(100'000, '\n')}) {
    write_counter(text);
    EXPECT_EQ(take_line_number(file_, 0), 0U);
    EXPECT_EQ(take_line_number(file_, 0), 1U);
    EXPECT_LT(fs::file_size(counter()), 64U);
  }
}

TEST_F(LineCounter, OfSomebodyElseIsLeftAlone) {
  ASSERT_EQ(take_line_number(file_, 0), 0U);
  fs::permissions(counter(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(take_line_number(file_, 0), 0U);
  fs::permissions(counter(), fs::perms::group_write, fs::perm_options::remove);
  EXPECT_EQ(take_line_number(file_, 0), 1U);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(counter().c_str(), 12345, 12345), 0);
    EXPECT_EQ(take_line_number(file_, 0), 0U);
  }
}

TEST_F(LineCounter, IsNoLinkAndNoPipe) {
  const auto other = home_.write("other", "kept");
  fs::create_symlink(other, counter());
  EXPECT_EQ(take_line_number(file_, 0), 0U);
  EXPECT_EQ(fs::file_size(other), 4U);
  fs::remove(counter());
  ASSERT_EQ(mkfifo(counter().c_str(), 0600), 0);
  EXPECT_EQ(take_line_number(file_, 0), 0U);
}

TEST_F(LineCounter, WaitsForNobodyWhoKeepsIt) {
  ASSERT_EQ(take_line_number(file_, 0), 0U);
  const os::Descriptor held(open(counter().c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(flock(held.get(), LOCK_EX), 0);
  EXPECT_EQ(take_line_number(file_, 0, milliseconds(50)), 1U);
}

TEST_F(LineCounter, NeedsNoDirectoryThatCanBeWritten) {
  EXPECT_EQ(take_line_number("/proc/nothing/muster/requeue", 0), 0U);
}

TEST_F(LineCounter, OfALongGoneJobIsRemoved) {
  ASSERT_EQ(take_line_number(file_, 0), 0U);
  remove_old_states(file_);
  EXPECT_TRUE(fs::exists(counter()));
  fs::last_write_time(
      counter(), fs::file_time_type::clock::now() - max_saved_state_age - std::chrono::hours(1));
  remove_old_states(file_);
  EXPECT_FALSE(fs::exists(counter()));
}

}  // namespace
}  // namespace muster::attempts
