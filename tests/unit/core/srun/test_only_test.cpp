#include "core/srun/test_only.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using Words = std::vector<std::string>;

TEST(TestOnly, IsSrunsOwnOption) {
  EXPECT_TRUE(is_test_only({{"srun", "--test-only", "./train"}, 2}));
  EXPECT_TRUE(is_test_only({{"srun", "./a", ":", "--test-only", "./b"}, 1}));
  EXPECT_FALSE(is_test_only({{"srun", "./train", "--test-only"}, 1}));
}

TEST(TestOnly, EstimatesTheJobWithItsSpares) {
  const Command command{
      {"srun", "--test-only", "-N2", "-n4", "--distributed=torch,spares=1", "./train"}, 5};
  EXPECT_EQ(estimate_command(command, {}, 0),
            (Words{"srun", "--test-only", "-N2", "-n4", "--distributed=torch,spares=1",
                   "--distributed=off", "./train"}));
  EXPECT_EQ(estimate_command(command, {}, 1),
            (Words{"srun", "--test-only", "-N2", "-n4", "--distributed=torch,spares=1", "--nodes=3",
                   "--ntasks=6", "--ntasks-per-node=2", "--distributed=off", "./train"}));
}

TEST(TestOnly, LeavesMusterOutOfEachComponent) {
  const Command command{
      {"srun", "--test-only", "./a", ":", "--distributed=torch", "-N2", "./b", ":", "-N3", "./c"},
      2};
  EXPECT_EQ(estimate_command(command, {}, 0),
            (Words{"srun", "--test-only", "--distributed=off", "./a", ":", "--distributed=torch",
                   "-N2", "--distributed=off", "./b", ":", "-N3", "./c"}));
}

}  // namespace
}  // namespace muster::srun
