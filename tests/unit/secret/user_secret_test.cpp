#include "secret/user_secret.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::secret {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

using Variables = std::map<std::string, std::string>;

Variable in(const Variables& variables) {
  return [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
}

std::string path_of(const Variables& variables) {
  return user_secret_path(in(variables));
}

std::string error_of(const std::string& path) {
  try {
    user_secret(path);
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & ALLPERMS;
}

TEST(UserSecretPath, IsTheUsersChoiceOrInTheStateDirectory) {
  Variables variables{{"HOME", "/home/me"}};
  EXPECT_EQ(path_of(variables), "/home/me/.local/state/muster/secret");
  variables["XDG_STATE_HOME"] = "relative";
  EXPECT_EQ(path_of(variables), "/home/me/.local/state/muster/secret");
  variables["XDG_STATE_HOME"] = "/state";
  EXPECT_EQ(path_of(variables), "/state/muster/secret");
  variables["MUSTER_SECRET_FILE"] = "/shared/secret";
  EXPECT_EQ(path_of(variables), "/shared/secret");
  EXPECT_EQ(state_directory(in(variables)), "/state/muster");
  variables["MUSTER_SECRET_FILE"] = "";
  EXPECT_EQ(path_of(variables), "/state/muster/secret");
}

TEST(UserSecretPath, IsInTheUserDatabasesHomeWithoutHome) {
  const auto expected = std::string(getpwuid(geteuid())->pw_dir) + "/.local/state/muster/secret";
  EXPECT_EQ(path_of({}), expected);
  EXPECT_EQ(path_of({{"HOME", ""}}), expected);
}

TEST(UserSecretPath, IsNoneInARelativeHome) {
  EXPECT_EQ(path_of({{"HOME", "relative"}}), "");
  EXPECT_EQ(state_directory(in({{"HOME", "relative"}})), "");
}

TEST(UserSecret, IsMadeOnceAndForThisUserAlone) {
  const fixtures::ScratchDirectory directory;
  const auto path = directory.path("a/b/secret");
  const auto secret = user_secret(path);
  EXPECT_NE(secret, Key{});
  EXPECT_EQ(user_secret(path), secret);
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(mode_of(directory.path("a")), 0700U);
  EXPECT_EQ(std::filesystem::file_size(path), key_bytes);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{directory.path("a/b")}, {}), 1)
      << "no other file is left";
  EXPECT_NE(user_secret(directory.path("other")), secret);
}

TEST(UserSecret, IsTheSameForAllThatMakeItAtOnce) {
  const fixtures::ScratchDirectory directory;
  for (int round = 0; round < 20; ++round) {
    const auto path = directory.path(std::to_string(round) + "/secret");
    std::vector<Key> seen(8);
    std::vector<std::thread> threads;
    for (auto& each : seen) threads.emplace_back([&] { each = user_secret(path); });
    for (auto& thread : threads) thread.join();
    EXPECT_THAT(seen, testing::Each(seen.front()));
  }
}

TEST(UserSecret, IsRefusedIfSomebodyElseMayKnowItOrHaveMadeIt) {
  const fixtures::ScratchDirectory directory;
  const std::string bytes(key_bytes, 'x');
  const auto refused =
      AllOf(HasSubstr("is not a 32-byte file with mode 0600"), HasSubstr("remove it"));
  const auto file = directory.write("file", bytes);
  for (const mode_t mode : {0640U, 0604U, 0620U, 0602U, 0700U, 0400U}) {
    chmod(file.c_str(), mode);
    EXPECT_THAT(error_of(file), refused) << mode;
  }
  chmod(file.c_str(), 0600);
  EXPECT_EQ(user_secret(file).front(), 'x');
}

TEST(UserSecret, IsRefusedWithAnotherLength) {
  const fixtures::ScratchDirectory directory;
  for (const auto size : {std::size_t{0}, key_bytes - 1, key_bytes + 1}) {
    const auto file = directory.write(std::to_string(size), std::string(size, 'x'));
    chmod(file.c_str(), 0600);
    EXPECT_THAT(error_of(file), HasSubstr("is not a 32-byte file")) << size;
  }
}

TEST(UserSecret, IsNoLinkAndNoDirectory) {
  const fixtures::ScratchDirectory directory;
  user_secret(directory.path("file"));
  std::filesystem::create_symlink(directory.path("file"), directory.path("link"));
  EXPECT_THAT(error_of(directory.path("link")), HasSubstr("remove it"));
  std::filesystem::create_directory(directory.path("directory"));
  EXPECT_THAT(error_of(directory.path("directory")), HasSubstr("remove it"));
}

TEST(UserSecret, ThatCannotBeMadeIsAnErrorWithTheRemedy) {
  const fixtures::ScratchDirectory directory;
  const auto file = directory.write("file", "");
  EXPECT_THAT(error_of(file + "/secret"),
              AllOf(StartsWith(file), HasSubstr("Not a directory; correct it, or name another file "
                                                "in MUSTER_SECRET_FILE")));
  EXPECT_THAT(error_of(""), HasSubstr("export HOME or MUSTER_SECRET_FILE"));
}

}  // namespace
}  // namespace muster::secret
