#include "worker/tcp/step_nodes.hpp"

#include <gtest/gtest.h>

namespace muster::worker::tcp {
namespace {

using Names = std::vector<std::string>;

TEST(TcpStepNodes, ReadSlurmsLists) {
  EXPECT_EQ(expand_nodes("node1", 9), Names{"node1"});
  EXPECT_EQ(expand_nodes("node[1-3]", 9), (Names{"node1", "node2", "node3"}));
  EXPECT_EQ(expand_nodes("a,n[08-10,3].x,b", 9),
            (Names{"a", "n08.x", "n09.x", "n10.x", "n3.x", "b"}));
}

TEST(TcpStepNodes, GiveUpOnWhatTheyDoNotUnderstand) {
  for (const auto* const list : {"", "n[", "n[1-", "n[3-1]", "n[a-b]", "r[1-2]n[1-2]", "n[1-10]",
                                 "n[0-18446744073709551615]", "a,b,c,d,e,f,g,h,i,j"}) {
    EXPECT_EQ(expand_nodes(list, 9), Names{}) << list;
  }
}

TEST(TcpStepNodes, SayWhereARankIs) {
  EXPECT_EQ((StepNodes{"n[1-3]", "2(x2),1"}.by_rank(5)), (Names{"n1", "n1", "n2", "n2", "n3"}));
  EXPECT_EQ((StepNodes{"n[1-3]", "2(x2),1"}.by_rank(4)), Names{}) << "not of this step";
  EXPECT_EQ((StepNodes{"n[1-3]", "2(x3)"}.by_rank(7)), Names{});
  EXPECT_EQ(StepNodes{}.by_rank(2), Names{});
}

TEST(TcpStepNodes, SayNothingWhereTasksGoRound) {
  const Environment::Map block{{"SLURM_STEP_NODELIST", "n1"}, {"SLURM_STEP_TASKS_PER_NODE", "2"}};
  EXPECT_EQ(step_nodes(Environment{block}).by_rank(2), (Names{"n1", "n1"}));
  auto cyclic = block;
  cyclic["SLURM_DISTRIBUTION"] = "cyclic";
  EXPECT_EQ(step_nodes(Environment{cyclic}).by_rank(2), Names{});
}

}  // namespace
}  // namespace muster::worker::tcp
