#include "launcher/agent/ranks/error_file.hpp"

#include "core/report/error_file.hpp"
#include "fixtures/scratch_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::ranks {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class ErrorFileTest : public testing::Test {
 protected:
  ErrorFileTest() { fs::create_directory(scratch_.path("0")); }

  [[nodiscard]] fs::path path() const { return scratch_.path("0/error.json"); }

  const fixtures::ScratchDirectory scratch_;
};

TEST_F(ErrorFileTest, IsReadWithItsTime) {
  const auto before = std::chrono::system_clock::now();
  scratch_.write("0/error.json", "{\"message\":\"boom\"}");
  const auto file = read_error_file(path());
  ASSERT_TRUE(file);
  EXPECT_EQ(file->text, "{\"message\":\"boom\"}");
  EXPECT_GT(file->written, before - 1s);
  EXPECT_LE(file->written, std::chrono::system_clock::now());
}

TEST_F(ErrorFileTest, IsNothingWhereThereIsNone) {
  EXPECT_FALSE(read_error_file(path()));
  EXPECT_FALSE(read_error_file(scratch_.path("1/error.json")));
  scratch_.write("0/error.json", "");
  EXPECT_FALSE(read_error_file(path()));
}

TEST_F(ErrorFileTest, MayBeAMegabyteAndNoMore) {
  scratch_.write("0/error.json", std::string(report::max_error_file_bytes, 'x'));
  EXPECT_TRUE(read_error_file(path()));
  scratch_.write("0/error.json", std::string(report::max_error_file_bytes + 1, 'x'));
  EXPECT_FALSE(read_error_file(path()));
}

TEST_F(ErrorFileTest, IsNotWaitedForWhereItIsAFifo) {
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_FALSE(read_error_file(path()));
  const int writer = open(path().c_str(), O_RDWR | O_NONBLOCK);
  EXPECT_FALSE(read_error_file(path()));
  close(writer);
}

TEST_F(ErrorFileTest, IsNoDirectoryAndNoDevice) {
  fs::create_directory(path());
  EXPECT_FALSE(read_error_file(path()));
  EXPECT_FALSE(read_error_file("/dev/zero"));
}

TEST_F(ErrorFileTest, IsNoLink) {
  const auto elsewhere = scratch_.write("elsewhere", "secret");
  fs::create_symlink(elsewhere, path());
  EXPECT_FALSE(read_error_file(path()));
}

TEST_F(ErrorFileTest, IsNotReadThroughALinkInPlaceOfItsDirectory) {
  fs::create_directory(scratch_.path("other"));
  scratch_.write("other/error.json", "secret");
  fs::remove(scratch_.path("0"));
  fs::create_directory_symlink(scratch_.path("other"), scratch_.path("0"));
  EXPECT_FALSE(read_error_file(path()));
}

TEST_F(ErrorFileTest, IsThisUsers) {
  scratch_.write("0/error.json", "{}");
  if (chown(path().c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root can give a file away";
  EXPECT_FALSE(read_error_file(path()));
}

TEST(ErrorFileTime, IsTranslatedToTheMonotonicClock) {
  const std::chrono::system_clock::time_point wall{1'000'000s};
  const std::chrono::steady_clock::time_point now{500s};
  EXPECT_EQ(monotonic(wall - 3s, wall, now), now - 3s);
  EXPECT_EQ(monotonic(wall + 3s, wall, now), now + 3s);
}

}  // namespace
}  // namespace muster::ranks
