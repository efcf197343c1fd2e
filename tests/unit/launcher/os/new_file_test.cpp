#include "launcher/os/new_file.hpp"

#include "fixtures/scratch_directory.hpp"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace muster::os {
namespace {

namespace fs = std::filesystem;

class NewFileTest : public testing::Test {
 protected:
  ~NewFileTest() override { umask(before_); }

  [[nodiscard]] mode_t mode() const {
    struct stat status {};
    EXPECT_EQ(stat(file_.c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(scratch_.path("")), fs::directory_iterator());
  }

  const mode_t before_ = umask(027);
  const fixtures::ScratchDirectory scratch_;
  const std::string file_ = scratch_.path("state");
};

TEST_F(NewFileTest, HasTheModeThatTheUmaskLeaves) {
  EXPECT_EQ(write_new_file(file_, "one"), 0);
  EXPECT_EQ(mode(), 0640U);
  EXPECT_EQ(write_new_file(file_, "two", 0600), 0);
  EXPECT_EQ(mode(), 0600U);
  EXPECT_EQ(fs::file_size(file_), 3U);
  EXPECT_EQ(entries(), 1) << "nothing is left beside it";
}

TEST_F(NewFileTest, IsNotMadeWhereSomethingElseIsOrNothingCanBe) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_EQ(write_new_file(file_, "one"), EISDIR);
  EXPECT_EQ(write_new_file(scratch_.path("none/state"), "one"), ENOENT);
  EXPECT_EQ(entries(), 1);
}

TEST_F(NewFileTest, SaysBeforehandWhyItCouldNotBeWritten) {
  EXPECT_EQ(why_not_writable(file_), 0);
  EXPECT_EQ(why_not_writable("relative"), 0);
  EXPECT_EQ(why_not_writable(scratch_.path("none/state")), ENOENT);
  EXPECT_EQ(why_not_writable(scratch_.path("")), EISDIR);
  ASSERT_EQ(write_new_file(file_, "one"), 0);
  EXPECT_EQ(why_not_writable(file_), 0);
  EXPECT_EQ(why_not_writable(file_ + "/state"), ENOTDIR);
  EXPECT_EQ(entries(), 1);
}

// umask() applies to all threads of the process: another thread's new file would be open to everyone.
TEST_F(NewFileTest, DoesNotChangeTheModeOfOtherThreadsFiles) {
  std::atomic<bool> over = false;
  std::jthread writer([&] {
    while (!over) EXPECT_EQ(write_new_file(file_, "one"), 0);
  });
  for (int i = 0; i < 2000; ++i) {
    const auto other = scratch_.path("other");
    ASSERT_EQ(mkdir(other.c_str(), 0777), 0);
    struct stat status {};
    ASSERT_EQ(stat(other.c_str(), &status), 0);
    ASSERT_EQ(status.st_mode & 0777U, 0750U) << i;
    ASSERT_EQ(rmdir(other.c_str()), 0);
  }
  over = true;
}

}  // namespace
}  // namespace muster::os
