#include "core/profile/requirement.hpp"

#include "core/error.hpp"
#include "core/layout/layout.hpp"
#include "core/layout/numbering.hpp"
#include "core/topology/topology.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::profile {
namespace {

std::string refusal(Requirement requirement, const std::vector<layout::NodeIndex>& node_of_task,
                    option::Ranks ranks = option::Ranks::slurm) {
  Profile profile{
      .name = "p", .summary = {}, .requirements = {requirement}, .gpus = {}, .environment = {}};
  const layout::Layout layout{{"node1", "node2", "node3"}, node_of_task, ""};
  try {
    check_requirements(profile, layout, number_ranks(layout, ranks));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Requirement, OneTaskPerNodeNamesANodeThatHasMore) {
  EXPECT_EQ(refusal(Requirement::one_task_per_node, {0, 2}), "");
  EXPECT_EQ(refusal(Requirement::one_task_per_node, {0, 1, 1}),
            "profile p requires one task per node, no more, but node2 has 2; use "
            "--ntasks-per-node=1, or profile torch for a task per rank");
}

TEST(Requirement, EqualTasksPerNodeNamesTwoNodesThatDiffer) {
  EXPECT_EQ(refusal(Requirement::equal_tasks_per_node, {0, 1, 0, 1}), "");
  EXPECT_EQ(refusal(Requirement::equal_tasks_per_node, {0, 0, 2}),
            "profile p requires the same number of tasks on every node, but node1 has 2 and node3 "
            "has 1; use --ntasks-per-node=N");
}

TEST(Requirement, SlurmRanksRefusesOnlyARealRenumbering) {
  EXPECT_EQ(refusal(Requirement::slurm_ranks, {0, 1, 0, 1}), "");
  EXPECT_EQ(refusal(Requirement::slurm_ranks, {0, 0, 1, 1}, option::Ranks::contiguous), "");
  EXPECT_NE(refusal(Requirement::slurm_ranks, {0, 1, 0, 1}, option::Ranks::contiguous)
                .find("--distribution=block"),
            std::string::npos);
}

}  // namespace
}  // namespace muster::profile
