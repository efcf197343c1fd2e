#include "launcher/os/private_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::os {
namespace {

namespace fs = std::filesystem;

class PrivateDirectory : public testing::Test {
 protected:
  PrivateDirectory() {
    std::string folder = testing::TempDir() + "private-XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    base_ = folder;
  }
  ~PrivateDirectory() override { fs::remove_all(base_); }

  [[nodiscard]] static mode_t mode(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    return status.st_mode & 0777;
  }

  fs::path base_;
};

TEST_F(PrivateDirectory, IsMadeWithThoseAboveItForItsUserAlone) {
  const mode_t before = umask(0);
  EXPECT_EQ(make_private_directory(base_ / "a" / "b"), 0);
  umask(before);
  EXPECT_EQ(mode(base_ / "a"), 0700U);
  EXPECT_EQ(mode(base_ / "a" / "b"), 0700U);
}

TEST_F(PrivateDirectory, KeepsTheModeOfWhatIsThere) {
  fs::create_directory(base_ / "a");
  fs::permissions(base_ / "a", fs::perms(0750));
  EXPECT_EQ(make_private_directory(base_ / "a"), 0);
  EXPECT_EQ(mode(base_ / "a"), 0750U);
}

TEST_F(PrivateDirectory, IsNoFileAndNoLink) {
  std::ofstream(base_ / "file") << "x";
  fs::create_directory(base_ / "other");
  fs::create_directory_symlink(base_ / "other", base_ / "link");
  EXPECT_EQ(make_private_directory(base_ / "file"), ENOTDIR);
  EXPECT_EQ(make_private_directory(base_ / "file" / "below"), ENOTDIR);
  EXPECT_EQ(make_private_directory(base_ / "link"), ENOTDIR);
  EXPECT_EQ(make_private_directory(base_ / "link" / "below"), 0);
}

TEST_F(PrivateDirectory, IsNotAnotherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  fs::create_directory(base_ / "theirs");
  ASSERT_EQ(chown((base_ / "theirs").c_str(), 65534, 65534), 0);
  EXPECT_EQ(make_private_directory(base_ / "theirs"), EPERM);
  EXPECT_EQ(make_private_directory(base_ / "theirs" / "own"), 0);
}

}  // namespace
}  // namespace muster::os
