#include "launcher/os/user_secret.hpp"

#include "core/error.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pwd.h>

namespace muster::os {
namespace {

namespace fs = std::filesystem;
using fixtures::expect_error;

class UserSecretFile : public ::testing::Test {
 protected:
  void write(const std::string& content, fs::perms mode) const {
    fs::create_directories(path().parent_path());
    std::ofstream(path()) << content;
    fs::permissions(path(), mode);
  }

  [[nodiscard]] fs::path home() const { return home_.path(); }
  [[nodiscard]] fs::path path() const { return home() / ".local/state/muster/secret"; }

 private:
  fixtures::ScratchDirectory home_;
};

constexpr auto owner_only = fs::perms::owner_read | fs::perms::owner_write;

TEST(UserSecretPath, IsTheUsersChoiceOrBelowTheStateDirectory) {
  Environment environment{{"HOME", "/home/alice"}};
  EXPECT_EQ(user_secret_path(environment), "/home/alice/.local/state/muster/secret");
  environment.set("XDG_STATE_HOME", "relative");
  EXPECT_EQ(user_secret_path(environment), "/home/alice/.local/state/muster/secret");
  environment.set("XDG_STATE_HOME", "/state");
  EXPECT_EQ(user_secret_path(environment), "/state/muster/secret");
  environment.set("MUSTER_SECRET_FILE", "/shared/secret");
  EXPECT_EQ(user_secret_path(environment), "/shared/secret");
  environment.set("MUSTER_SECRET_FILE", "");
  EXPECT_EQ(user_secret_path(environment), "/state/muster/secret");
  EXPECT_EQ(user_secret_path({{"HOME", ""}}), "");
  EXPECT_EQ(user_secret_path({}),
            std::string(getpwuid(geteuid())->pw_dir) + "/.local/state/muster/secret");
}

TEST_F(UserSecretFile, IsMadeOnceForItsUserOnly) {
  const auto secret = user_secret(path());
  EXPECT_NE(secret, UserSecret{});
  EXPECT_EQ(user_secret(path()), secret);
  EXPECT_EQ(fs::file_size(path()), user_secret_bytes);
  EXPECT_EQ(fs::status(path()).permissions(), owner_only);
  EXPECT_EQ(fs::status(path().parent_path()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(std::distance(fs::directory_iterator(path().parent_path()), {}), 1);
}

TEST_F(UserSecretFile, IsOneForAllThatMakeItAtOnce) {
  constexpr std::size_t makers = 16;
  std::vector<UserSecret> seen(makers);
  std::vector<std::thread> threads;
  for (auto& each : seen) threads.emplace_back([&] { each = user_secret(path()); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(seen, std::vector<UserSecret>(makers, seen.front()));
}

TEST_F(UserSecretFile, IsRefusedWhereOthersCouldHaveIt) {
  const std::string bytes(user_secret_bytes, 's');
  for (const auto more : {fs::perms::group_read, fs::perms::others_read, fs::perms::group_write}) {
    write(bytes, owner_only | more);
    fixtures::expect_error([&] { user_secret(path()); }, "is not a file of 32 bytes that only uid");
  }
  write(bytes, owner_only);
  EXPECT_NO_THROW(user_secret(path()));
}

TEST_F(UserSecretFile, IsRefusedWithAnotherLength) {
  for (const auto size : {std::size_t{0}, user_secret_bytes - 1, user_secret_bytes + 1}) {
    write(std::string(size, 's'), owner_only);
    fixtures::expect_error([&] { user_secret(path()); }, "is not a file of 32 bytes");
  }
}

TEST_F(UserSecretFile, IsNoLinkAndNoDirectory) {
  user_secret(path());
  const auto link = home() / "link";
  fs::create_symlink(path(), link);
  fixtures::expect_error([&] { user_secret(link); }, "remove it");
  fixtures::expect_error([&] { user_secret(home()); }, "remove it");
}

TEST_F(UserSecretFile, SaysWhyItCannotBeMade) {
  std::ofstream(home() / "file") << "";
  fixtures::expect_error([&] { user_secret(home() / "file/muster/secret"); }, "Not a directory");
  fixtures::expect_error([] { user_secret(""); }, "export HOME or MUSTER_SECRET_FILE");
}

}  // namespace
}  // namespace muster::os
