#include "core/remark/uneven_tasks.hpp"

#include "core/layout/layout.hpp"
#include "core/topology/topology.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

std::string remark_on_tasks(const std::vector<std::uint32_t>& tasks_of_node,
                            const Environment& environment = {},
                            const std::vector<layout::Component>& components = {}) {
  layout::Layout layout{{}, {}, {}, components};
  for (layout::NodeIndex node = 0; node < tasks_of_node.size(); ++node) {
    layout.nodes.push_back("node" + std::to_string(node + 1));
    layout.node_of_task.insert(layout.node_of_task.end(), tasks_of_node[node], node);
  }
  return uneven_tasks(layout, number_ranks(layout, option::Ranks::slurm), environment);
}

TEST(UnevenTasks, AreThoseThatSlurmLeavesOnTheFirstNode) {
  EXPECT_EQ(
      remark_on_tasks({4, 1, 1}),
      "6 tasks are spread unevenly over 3 nodes, from 4 on node1 to 1 on node2; submit the job with "
      "--ntasks-per-node=2 for the same number on each node");
  EXPECT_NE(remark_on_tasks({1, 3}), "");
  EXPECT_NE(remark_on_tasks({8, 2}).find("--ntasks-per-node=5 "), std::string::npos);
}

TEST(UnevenTasks, HaveNoNumberToSuggestWhereTheTasksDoNotDivide) {
  EXPECT_NE(remark_on_tasks({5, 1, 1}).find("--ntasks-per-node=N "), std::string::npos);
}

TEST(UnevenTasks, AreNotThoseOfEqualNodesOrOfTasksThatDoNotDivide) {
  EXPECT_EQ(remark_on_tasks({2, 2, 2}), "");
  EXPECT_EQ(remark_on_tasks({2, 2, 1}), "");
  EXPECT_EQ(remark_on_tasks({3}), "");
  EXPECT_EQ(remark_on_tasks({2, 0, 2}), "");  // a node of the job that the step does not use
  EXPECT_EQ(remark_on_tasks({2, 0, 1}), "");
}

TEST(UnevenTasks, AreTheUsersChoice) {
  EXPECT_EQ(remark_on_tasks({4, 2}, {{"SLURM_NTASKS_PER_NODE", "4"}}), "");
  EXPECT_EQ(remark_on_tasks({4, 2}, {{"SLURM_HOSTFILE", "hosts"}}), "");
  for (const auto* const chosen : {"plane", "arbitrary", "block,pack", "block:cyclic,pack"}) {
    EXPECT_EQ(remark_on_tasks({4, 2}, {{"SLURM_DISTRIBUTION", chosen}}), "") << chosen;
  }
  for (const auto* const order : {"block", "cyclic", "block,nopack", "block:cyclic"}) {
    EXPECT_NE(remark_on_tasks({4, 2}, {{"SLURM_DISTRIBUTION", order}}), "") << order;
  }
  EXPECT_EQ(
      remark_on_tasks({3, 1}, {}, {{.job_id = 1}, {.job_id = 1, .first_node = 1, .first_task = 3}}),
      "");
}

}  // namespace
}  // namespace muster::remark
