#include "worker/tcp/numbering.hpp"

#include "worker/error.hpp"

#include <gtest/gtest.h>

namespace muster::worker::tcp {
namespace {

// Task 5 of "2(x2),3" tasks: the second of the third node.
Environment::Map slurm() {
  return {{"SLURM_PROCID", "5"},         {"SLURM_NTASKS", "7"},
          {"SLURM_LOCALID", "1"},        {"SLURM_NODEID", "2"},
          {"SLURM_STEP_NUM_NODES", "3"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x2),3"},
          {"SLURMD_NODENAME", "n3"}};
}

RankInfo info_of(const Environment::Map& variables,
                 muster_numbering numbering = MUSTER_RANKS_AUTO) {
  return rank_info_of(Environment{variables}, numbering);
}

TEST(TcpNumbering, IsSlurmsWhereNothingElseIsSaid) {
  const auto here = info_of(slurm());
  EXPECT_EQ(here.rank, 5);
  EXPECT_EQ(here.size, 7);
  EXPECT_EQ(here.procid, 5);
  EXPECT_EQ(here.contiguous_rank, 5);
  EXPECT_EQ(here.local_rank, 1);
  EXPECT_EQ(here.local_size, 3);
  EXPECT_EQ(here.node_rank, 2);
  EXPECT_EQ(here.node_count, 3);
  EXPECT_EQ(here.node, "n3");
}

TEST(TcpNumbering, IsTheLaunchersWhereItsRanksAreContiguous) {
  auto variables = slurm();
  variables["RANK"] = "4";
  variables["WORLD_SIZE"] = "7";
  const auto here = info_of(variables);
  EXPECT_EQ(here.rank, 4);
  EXPECT_EQ(here.procid, 5);
  EXPECT_EQ(here.contiguous_rank, 4);
  EXPECT_EQ(info_of(variables, MUSTER_RANKS_SLURM).rank, 5);
  EXPECT_EQ(info_of(variables, MUSTER_RANKS_CONTIGUOUS).rank, 4);
}

TEST(TcpNumbering, CountsTasksNodeByNodeWhereSlurmDealsThemInTurn) {
  auto variables = slurm();
  variables["SLURM_PROCID"] = "4";  // cyclic: n1 has 0 and 3, n2 1 and 4, n3 2, 5 and 6
  variables["SLURM_NODEID"] = "1";
  EXPECT_EQ(info_of(variables, MUSTER_RANKS_CONTIGUOUS).rank, 3);
}

TEST(TcpNumbering, KnowsNoOrderOfNodesThatTheUserHasOrdered) {
  auto variables = slurm();
  variables["SLURM_DISTRIBUTION"] = "arbitrary";
  EXPECT_EQ(info_of(variables).contiguous_rank, unknown);
  EXPECT_THROW(info_of(variables, MUSTER_RANKS_CONTIGUOUS), Error);
}

// A Slurm task that has started eight workers: Slurm's numbers are not theirs.
TEST(TcpNumbering, IsTorchrunsInsideATaskOfSlurms) {
  auto variables = slurm();
  for (const auto& [name, value] : Environment::Map{{"RANK", "42"},
                                                    {"WORLD_SIZE", "56"},
                                                    {"LOCAL_RANK", "2"},
                                                    {"LOCAL_WORLD_SIZE", "8"},
                                                    {"GROUP_RANK", "5"},
                                                    {"GROUP_WORLD_SIZE", "7"}}) {
    variables[name] = value;
  }
  const auto here = info_of(variables);
  EXPECT_EQ(here.rank, 42);
  EXPECT_EQ(here.size, 56);
  EXPECT_EQ(here.procid, unknown);
  EXPECT_EQ(here.contiguous_rank, 42);
  EXPECT_EQ(here.local_rank, 2);
  EXPECT_EQ(here.local_size, 8);
  EXPECT_EQ(here.node_rank, 5);
  EXPECT_EQ(here.node_count, 7);
}

TEST(TcpNumbering, KnowsLittleInAHandMadeEnvironment) {
  const auto here = info_of({{"RANK", "1"}, {"WORLD_SIZE", "2"}});
  EXPECT_EQ(here.rank, 1);
  EXPECT_EQ(here.local_rank, unknown);
  EXPECT_EQ(here.node_count, unknown);
  EXPECT_FALSE(here.node.empty()) << "the host's name";
}

TEST(TcpNumbering, CountsAllComponentsOfAHeterogeneousStep) {
  auto variables = slurm();
  variables["SLURM_STEP_NUM_TASKS"] = "12";
  EXPECT_EQ(info_of(variables).size, 12);
}

TEST(TcpNumbering, RefusesWhatIsNoRank) {
  EXPECT_THROW(info_of({}), Error);
  EXPECT_THROW(info_of({{"RANK", "0"}}), Error);
  EXPECT_THROW(info_of({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), Error);
  EXPECT_THROW(info_of({{"RANK", "0"}, {"WORLD_SIZE", "0"}}), Error);
  EXPECT_THROW(info_of({{"RANK", "-1"}, {"WORLD_SIZE", "2"}}), Error);
  EXPECT_THROW(info_of({{"RANK", "0"}, {"WORLD_SIZE", "99999999999"}}), Error);
}

TEST(TcpNumbering, ReadsSlurmsTasksOfNodes) {
  EXPECT_EQ(tasks_of_node("2(x2),3", 0)->here, 2);
  EXPECT_EQ(tasks_of_node("2(x2),3", 1)->before, 2);
  EXPECT_EQ(tasks_of_node("2(x2),3", 2)->before, 4);
  EXPECT_EQ(tasks_of_node("2(x2),3", 2)->here, 3);
  for (const auto* const wrong : {"", "2(x2),3", "x", "2(x", "2(x2", "0", "2(x0)", "-1", "2;3",
                                  "99999999999", "16777216(x1048576),1"}) {
    EXPECT_FALSE(tasks_of_node(wrong, 3)) << wrong;
  }
}

}  // namespace
}  // namespace muster::worker::tcp
