#include "launcher/supervisor/attempts/saved_state.hpp"

#include "fixtures/scratch_directory.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

namespace fs = std::filesystem;

class SavedState : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& job = "7",
                                 const std::vector<std::string>& command = {"srun", "a"}) const {
    return saved_state_file({{"HOME", home_.path()},
                             {"MUSTER_SECRET_FILE", "/elsewhere/secret"},
                             {"SLURM_CLUSTER_NAME", "c/../1"}},
                            job, command);
  }

  fixtures::ScratchDirectory home_;
};

TEST_F(SavedState, IsBelowTheUsersHomeWhateverTheClusterIsCalled) {
  EXPECT_EQ(fs::path(file()).parent_path(), fs::path(home_.path()) / ".local/state/muster");
  EXPECT_TRUE(fs::path(file()).filename().string().starts_with("requeue-c____1-7-"));
  EXPECT_EQ(saved_state_file({{"HOME", "not/absolute"}}, "7", {"srun"}), "");
}

TEST_F(SavedState, IsOneForEachJobAndCommand) {
  EXPECT_EQ(file(), file());
  EXPECT_NE(file(), file("8"));
  EXPECT_NE(file(), file("7", {"srun", "b"}));
  EXPECT_NE(file("7", {"srun", "ab"}), file("7", {"srun", "a", "b"}));
}

TEST_F(SavedState, ComesBackAsWrittenAndIsTheUsersAlone) {
  EXPECT_EQ(read_saved_state(file()), std::nullopt);
  EXPECT_EQ(write_saved_state(file(), "one"), "");
  EXPECT_EQ(write_saved_state(file(), "two"), "");
  EXPECT_EQ(read_saved_state(file()), "two");
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(SavedState, OfSomebodyElseIsNotRead) {
  ASSERT_EQ(write_saved_state(file(), "one"), "");
  fs::permissions(file(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(read_saved_state(file()), std::nullopt);
  fs::permissions(file(), fs::perms::group_write, fs::perm_options::remove);
  ASSERT_EQ(read_saved_state(file()), "one");
  if (geteuid() == 0) {
    ASSERT_EQ(chown(file().c_str(), 12345, 12345), 0);
    EXPECT_EQ(read_saved_state(file()), std::nullopt);
  }
}

TEST_F(SavedState, IsNoLinkAndNoPipe) {
  ASSERT_EQ(write_saved_state(file("8"), "one"), "");
  fs::create_symlink(file("8"), file());
  EXPECT_EQ(read_saved_state(file()), std::nullopt);
  fs::remove(file());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_EQ(read_saved_state(file()), std::nullopt);
}

TEST_F(SavedState, OfALongGoneJobIsRemovedWithAnotherOne) {
  const auto age = [](const std::string& path, std::chrono::hours hours) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - hours);
  };
  for (const auto* const job : {"7", "8", "9"}) ASSERT_EQ(write_saved_state(file(job), "one"), "");
  const auto secret = fs::path(file()).replace_filename("secret").string();
  std::ofstream(secret) << "kept";
  const auto link = fs::path(file()).replace_filename("requeue-link").string();
  fs::create_symlink(file("9"), link);
  age(file("8"), max_saved_state_age + std::chrono::hours(1));
  age(file("9"), max_saved_state_age - std::chrono::hours(1));
  age(secret, 2 * max_saved_state_age);
  remove_old_states(file());
  EXPECT_TRUE(fs::exists(file()));
  EXPECT_FALSE(fs::exists(file("8")));
  EXPECT_TRUE(fs::exists(file("9")));
  EXPECT_TRUE(fs::exists(secret));
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(SavedState, NeedsNoDirectoryToHaveOldOnesRemoved) {
  remove_old_states(file());
  EXPECT_EQ(read_saved_state(file()), std::nullopt);
}

TEST_F(SavedState, SaysWhyItCannotBeWritten) {
  EXPECT_NE(write_saved_state("", "one"), "");
  EXPECT_NE(write_saved_state("/proc/nothing/muster/requeue", "one"), "");
}

}  // namespace
}  // namespace muster::attempts
