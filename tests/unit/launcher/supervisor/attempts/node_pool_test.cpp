#include "launcher/supervisor/attempts/node_pool.hpp"

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

using testing::ElementsAre;
using Names = std::vector<std::string>;

groups::Pool pool() {
  return {.nodes = {{"n0", 0, {}}, {"n1", 1, {}}, {"n2", {}, {}}}};
}

TEST(NodePool, IsSharedWithProcessesThatAreForked) {
  NodePool nodes(pool());
  const pid_t child = fork();
  if (child == 0) _exit(nodes.take(1, Names{"n2"}) ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(nodes.nodes_of(1), ElementsAre("n2"));
}

// How many of several processes, which all begin at the same moment, get the only free node.
int winners(NodePool& nodes) {
  constexpr std::uint32_t takers = 4;
  std::array<int, 2> start{};
  EXPECT_EQ(pipe(start.data()), 0);
  std::vector<pid_t> children;
  for (std::uint32_t group = 0; group < takers; ++group) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    close(start[1]);
    char byte = 0;
    static_cast<void>(read(start[0], &byte, 1));
    _exit(nodes.take(group, Names{"spare"}) ? 1 : 0);
  }
  close(start[0]);
  close(start[1]);
  int won = 0;
  for (const auto child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    won += WEXITSTATUS(status);
  }
  return won;
}

TEST(NodePool, GivesANodeToOneGroupOnly) {
  for (int round = 0; round < 200; ++round) {
    // A long list takes long to read and to write.
    groups::Pool pool{.nodes = {{"spare", {}, {}}}};
    for (int i = 0; i < 2000; ++i) pool.nodes.push_back({"node" + std::to_string(i), {}, {}});
    NodePool nodes(pool);
    ASSERT_EQ(winners(nodes), 1) << round;
  }
}

TEST(NodePool, LetsAGroupChooseAgainIfAnotherWasFaster) {
  NodePool nodes(pool());
  std::vector<Names> choices{{"n0"}, {"n2"}};
  EXPECT_TRUE(nodes.take(0, [&] {
    const auto choice = choices.back();
    choices.pop_back();
    if (choice == Names{"n2"}) {
      EXPECT_TRUE(nodes.take(1, choice));
    }
    return choice;
  }));
  EXPECT_THAT(nodes.nodes_of(0), ElementsAre("n0"));
  EXPECT_FALSE(nodes.take(0, [] { return Names(); }));
  EXPECT_THAT(nodes.nodes_of(0), ElementsAre("n0"));
}

TEST(NodePool, RemembersWhoGaveUpForWantOfNodesUntilItHasSome) {
  NodePool nodes(pool());
  nodes.set_short_of_nodes(1);
  EXPECT_TRUE(nodes.was_short_of_nodes(1));
  EXPECT_FALSE(nodes.was_short_of_nodes(0));
  ASSERT_TRUE(nodes.take(1, Names{"n2"}));
  EXPECT_FALSE(nodes.was_short_of_nodes(1));
}

TEST(NodePool, GrowsAndShrinks) {
  NodePool nodes(pool());
  const std::string long_name(200, 'x');
  ASSERT_TRUE(nodes.take(0, Names{long_name}));
  EXPECT_THAT(nodes.nodes_of(0), ElementsAre(long_name));
  nodes.let_go(0);
  nodes.set_lighthouse_lost(true);
  EXPECT_TRUE(nodes.is_lighthouse_lost());
  EXPECT_EQ(nodes.all().nodes.size(), 4U);
}

}  // namespace
}  // namespace muster::attempts
