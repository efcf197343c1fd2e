#include "launcher/supervisor/groups/node_watch.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/supervisor/attempts/node_pool.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::groups {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using Names = std::vector<std::string>;

// Replaces scontrol, for a job on n0 to n3. A file `drained` names drained nodes, one per line; a file
// `silent` makes it fail. Writes each request to the file `asked`.
constexpr const char* scontrol = R"sh(#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "$*" >>asked
[ -e silent ] && exit 1
case "$*" in
*"show config"*) echo "SlurmdTimeout           = 1 sec" ;;
*"show job"*) echo "JobId=7 JobState=RUNNING BatchFlag=0 NodeList=n[0-3] NumNodes=4" ;;
*"show node"*)
  for node in n0 n1 n2 n3; do
    state=ALLOCATED
    grep -qsx $node drained && state=ALLOCATED+DRAIN
    echo "NodeName=$node NodeAddr=127.0.0.1 Port=1 State=$state"
  done ;;
esac
)sh";

class NodeWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::permissions(directory_.write("scontrol", scontrol),
                                 std::filesystem::perms::owner_all);
    setenv("PATH", (directory_.path() + ":" + path_).c_str(), 1);
  }
  void TearDown() override { setenv("PATH", path_.c_str(), 1); }

  Names requests_with(const std::string& word) const {
    std::ifstream file(directory_.path("asked"));
    Names found;
    for (std::string line; std::getline(file, line);) {
      if (line.find(word) != std::string::npos) found.push_back(line);
    }
    return found;
  }

  NodeWatch watch(bool drain = false) {
    return {pool_,
            {.job = "7", .nodes = {"n0", "n1", "n2", "n3"}, .batch_host = ""},
            {.heartbeat = milliseconds{1000}, .drain = drain, .drain_interval = milliseconds{0}}};
  }

  void lose(std::uint32_t group, const std::string& node) {
    pool_.lose(group, node, std::chrono::steady_clock::now().time_since_epoch());
  }

  fixtures::ScratchDirectory directory_;
  attempts::NodePool pool_{
      {.nodes = {{"n0", 0, {}}, {"n1", 1, {}}, {"n2", 2, {}}, {"n3", {}, {}}}}};

 private:
  const std::string path_ = std::getenv("PATH");
};

TEST_F(NodeWatchTest, AsksOnceForTheNodesOfAllGroups) {
  directory_.write("drained", "n1\nn2\n");
  watch(true).act();
  EXPECT_THAT(requests_with(""), ElementsAre("--all --oneliner show node n[0-2]"));
  EXPECT_THAT(pool_.drained_of(0), ElementsAre());
  EXPECT_THAT(pool_.drained_of(1), ElementsAre("n1"));
  EXPECT_THAT(pool_.drained_of(2), ElementsAre("n2"));
}

TEST_F(NodeWatchTest, ANodeIsNoLongerDrainedWhenSlurmSaysSo) {
  directory_.write("drained", "n1\n");
  auto watch = this->watch(true);
  watch.act();
  directory_.write("silent", "");
  watch.act();
  EXPECT_THAT(pool_.drained_of(1), ElementsAre("n1"));
  std::filesystem::remove(directory_.path("silent"));
  directory_.write("drained", "");
  watch.act();
  EXPECT_THAT(pool_.drained_of(1), ElementsAre());
}

TEST_F(NodeWatchTest, AsksNothingWhenNoNodeIsLostAndNobodyWantsToLeaveDrainedOnes) {
  watch().act();
  EXPECT_THAT(requests_with(""), ElementsAre());
}

TEST_F(NodeWatchTest, RemovesTheLostNodesOfAllGroupsInOneCall) {
  lose(0, "n0");
  lose(1, "n1");
  auto watch = this->watch();
  watch.act();
  EXPECT_THAT(requests_with("update"), ElementsAre("update JobId=7 NodeList=n[2-3]"));
  Names left;
  for (const auto& node : pool_.all().nodes) left.push_back(node.name);
  EXPECT_THAT(left, ElementsAre("n2", "n3"));
}

TEST_F(NodeWatchTest, KeepsALostNodeThatAnotherGroupHasTaken) {
  lose(0, "n0");
  lose(1, "n1");
  ASSERT_TRUE(pool_.take(1, Names{"n3"}));
  ASSERT_TRUE(pool_.take(2, Names{"n1"}));
  watch().act();
  EXPECT_THAT(requests_with("update"), ElementsAre("update JobId=7 NodeList=n[1-3]"));
}

TEST_F(NodeWatchTest, ForgetsALostNodeThatSlurmHasRemoved) {
  ASSERT_TRUE(pool_.take(0, Names{"n9"}));
  lose(0, "n9");
  watch().act();
  EXPECT_THAT(pool_.nodes_of(0), ElementsAre());
  EXPECT_THAT(requests_with("update"), ElementsAre());
}

}  // namespace
}  // namespace muster::groups
