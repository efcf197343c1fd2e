#include "launcher/slurm/node_variables.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

TEST(NodeVariables, AreThoseThatSrunBelieves) {
  const auto change = node_variables(std::vector<std::string>{"n1", "n2", "n7"});
  EXPECT_EQ(std::map(change.set.begin(), change.set.end()),
            (std::map<std::string, std::string>{{"SLURM_JOB_NODELIST", "n[1-2,7]"},
                                                {"SLURM_NODELIST", "n[1-2,7]"},
                                                {"SLURM_JOB_NUM_NODES", "3"},
                                                {"SLURM_NNODES", "3"}}));
  EXPECT_TRUE(change.unset.empty());
}

}  // namespace
}  // namespace muster::slurm
