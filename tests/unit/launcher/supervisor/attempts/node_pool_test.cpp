#include "launcher/supervisor/attempts/node_pool.hpp"

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

TEST(NodePool, GivesANodeToOneGroupOnly) {
  constexpr std::uint32_t takers = 8;
  for (int round = 0; round < 20; ++round) {
    NodePool nodes({.nodes = {{"spare", {}, {}}}});
    std::vector<pid_t> children;
    for (std::uint32_t group = 0; group < takers; ++group) {
      children.push_back(fork());
      if (children.back() == 0) _exit(nodes.take(group, Names{"spare"}) ? 1 : 0);
    }
    int winners = 0;
    for (const auto child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      winners += WEXITSTATUS(status);
    }
    EXPECT_EQ(winners, 1);
  }
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
