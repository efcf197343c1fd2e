#include "launcher/agent/error_directory.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

TEST(ErrorDirectory, HasAPlaceForEachTaskAndIsTheUsersAlone) {
  const fixtures::ScratchDirectory scratch;
  const ErrorDirectory errors(scratch.path(), "42.0", "node1", 2);
  EXPECT_TRUE(errors.path().starts_with(scratch.path("muster-42.0-node1-")));
  EXPECT_TRUE(fs::is_directory(errors.path() + "/0"));
  EXPECT_TRUE(fs::is_directory(errors.path() + "/1"));
  EXPECT_FALSE(fs::exists(errors.path() + "/2"));
  struct stat status {};
  ASSERT_EQ(stat(errors.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST(ErrorDirectory, IsGoneWithTheStep) {
  const fixtures::ScratchDirectory scratch;
  {
    const ErrorDirectory errors(scratch.path(), "42.0", "node1", 2);
    std::ofstream(errors.path() + "/1/error.json") << "{}";
  }
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(ErrorDirectory, IsAnotherForEachStep) {
  const fixtures::ScratchDirectory scratch;
  const ErrorDirectory one(scratch.path(), "42.0", "node1", 1);
  const ErrorDirectory two(scratch.path(), "42.0", "node1", 1);
  EXPECT_NE(one.path(), two.path());
}

TEST(ErrorDirectory, DoesWithoutWhereNoneCanBeMade) {
  EXPECT_EQ(ErrorDirectory("/nonexistent", "42.0", "node1", 2).path(), "");
}

void remove_abandoned(const std::string& base) {
  AbandonedDirectories abandoned({base}, "node1");
  while (abandoned.examine(2)) {
  }
}

TEST(RemoveAbandoned, TakesWhatAKilledAgentLeftAndNotWhatIsInUse) {
  const fixtures::ScratchDirectory scratch;
  const auto left = scratch.path("muster-41.0-node1-abcdef");
  fs::create_directories(left + "/0");
  const ErrorDirectory used(scratch.path(), "42.0", "node1", 1);
  remove_abandoned(scratch.path());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(used.path() + "/0"));
}

// The agent has other things to do in between.
TEST(RemoveAbandoned, ExaminesAFewEntriesAtATime) {
  const fixtures::ScratchDirectory scratch;
  for (int i = 0; i < 20; ++i) scratch.write(std::to_string(i), "");
  AbandonedDirectories abandoned({scratch.path(), scratch.path("missing")}, "node1");
  int turns = 0;
  while (abandoned.examine(5)) ++turns;
  EXPECT_EQ(turns, 4);  // of 20 entries and 2 directories
  EXPECT_FALSE(abandoned.examine(5));
}

// On a shared file system whose locks are local to each node, another node's locks look free.
TEST(RemoveAbandoned, LeavesWhatAgentsOfOtherNodesHave) {
  const fixtures::ScratchDirectory scratch;
  for (const auto* const node : {"node2", "node11", "rack-node1"})
    fs::create_directories(scratch.path(std::string("muster-41.0-") + node + "-abcdef/0"));
  remove_abandoned(scratch.path());
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 3);
}

TEST(RemoveAbandoned, TakesNothingThatNoAgentMade) {
  const fixtures::ScratchDirectory scratch;
  for (const auto* const name :
       {"muster-checkout", "muster-", "muster-42", "muster-42.0", "muster-42.0-node1-abc",
        "muster-42.0-node1-abcdefg", "muster-a.b-node1-abcdef", "muster-42.0-node1-abc.ef",
        "muster-42.0-abcdef", "other"}) {
    fs::create_directories(scratch.path(name) + "/0");
  }
  fs::create_directory_symlink(scratch.path("other"), scratch.path("muster-43.0-node1-abcdef"));
  remove_abandoned(scratch.path());
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 11);
  EXPECT_TRUE(fs::exists(scratch.path("other/0")));
}

TEST(RemoveAbandoned, LeavesAlsoOneThatAnotherAgentHasOnlyJustMade) {
  const fixtures::ScratchDirectory scratch;
  fs::create_directory(scratch.path(".muster-42.1-node1-abcdef"));  // not locked yet
  remove_abandoned(scratch.path());
  EXPECT_TRUE(fs::exists(scratch.path(".muster-42.1-node1-abcdef")));
}

}  // namespace
}  // namespace muster::agent
