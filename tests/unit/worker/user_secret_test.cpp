#include "worker/user_secret.hpp"

#include "fixtures/scratch_directory.hpp"
#include "worker/error.hpp"

#include <filesystem>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::worker {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string path_of(const Environment::Map& variables) {
  return user_secret_path(Environment{variables});
}

std::string error_of(const std::string& path) {
  try {
    user_secret(path);
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_ENVIRONMENT);
    return error.what();
  }
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & ALLPERMS;
}

TEST(UserSecret, LiesWhereTheUserSaysElseInTheStateDirectory) {
  Environment::Map variables{{"HOME", "/home/me"}};
  EXPECT_EQ(path_of(variables), "/home/me/.local/state/muster/secret");
  variables["XDG_STATE_HOME"] = "relative";
  EXPECT_EQ(path_of(variables), "/home/me/.local/state/muster/secret");
  variables["XDG_STATE_HOME"] = "/state";
  EXPECT_EQ(path_of(variables), "/state/muster/secret");
  variables["MUSTER_SECRET_FILE"] = "/shared/secret";
  EXPECT_EQ(path_of(variables), "/shared/secret");
  EXPECT_EQ(path_of({{"HOME", "relative"}}), "");
}

TEST(UserSecret, IsMadeOnceAndForThisUserAlone) {
  const fixtures::ScratchDirectory directory;
  const auto path = directory.path("a/b/secret");
  const auto secret = user_secret(path);
  EXPECT_NE(secret, UserSecret{});
  EXPECT_EQ(user_secret(path), secret);
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(mode_of(directory.path("a")), 0700U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{directory.path("a/b")}, {}), 1)
      << "no other file is left";
  EXPECT_NE(user_secret(directory.path("other")), secret);
}

TEST(UserSecret, IsTheSameForAllThatMakeItAtOnce) {
  const fixtures::ScratchDirectory directory;
  for (int round = 0; round < 20; ++round) {
    const auto path = directory.path(std::to_string(round) + "/secret");
    std::vector<UserSecret> seen(8);
    std::vector<std::thread> threads;
    for (auto& each : seen) threads.emplace_back([&] { each = user_secret(path); });
    for (auto& thread : threads) thread.join();
    EXPECT_THAT(seen, testing::Each(seen.front()));
  }
}

TEST(UserSecret, IsRefusedWhereSomebodyElseMayKnowIt) {
  const fixtures::ScratchDirectory directory;
  const std::string bytes(32, 'x');
  const auto refused = AllOf(HasSubstr("is not a file of 32 bytes with mode 0600"),
                             HasSubstr("remove it"), HasSubstr("MUSTER_EXCHANGE_KEY"));
  const auto readable = directory.write("readable", bytes);
  EXPECT_THAT(error_of(readable), refused);
  for (const auto& [name, content] : {std::pair{"short", bytes.substr(1)}, {"long", bytes + "y"}}) {
    const auto file = directory.write(name, content);
    chmod(file.c_str(), 0600);
    EXPECT_THAT(error_of(file), refused) << name;
  }
  chmod(readable.c_str(), 0600);
  EXPECT_EQ(user_secret(readable).front(), 'x');
  std::filesystem::create_symlink(readable, directory.path("link"));
  EXPECT_THAT(error_of(directory.path("link")), refused);
  std::filesystem::create_directory(directory.path("directory"));
  EXPECT_THAT(error_of(directory.path("directory")), refused);
}

TEST(UserSecret, ThatCannotBeMadeIsAnErrorWithTheRemedy) {
  const fixtures::ScratchDirectory directory;
  const auto file = directory.write("file", "");
  EXPECT_THAT(error_of(file + "/secret"),
              AllOf(StartsWith("no key for the exchange between the ranks: " + file),
                    HasSubstr("Not a directory; name a file that can be written in "
                              "MUSTER_SECRET_FILE, or set MUSTER_EXCHANGE_KEY")));
  EXPECT_THAT(error_of(""), HasSubstr("no home directory"));
}

}  // namespace
}  // namespace muster::worker
