#include "launcher/supervisor/attempts/standard_input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::attempts {
namespace {

using srun::Command;
using testing::ElementsAre;

TEST(StandardInput, SrunReadsItsOwnUnlessAFileOrNothingIsNamed) {
  EXPECT_TRUE(reads_input({{"srun", "a"}, 1}, {}));
  EXPECT_TRUE(reads_input({{"srun", "-i", "all", "a"}, 3}, {}));
  EXPECT_TRUE(reads_input({{"srun", "--input=3", "a"}, 2}, {}));
  EXPECT_TRUE(reads_input({{"srun", "a", "-i", "file"}, 1}, {}));
  EXPECT_FALSE(reads_input({{"srun", "-inone", "a"}, 2}, {}));
  EXPECT_FALSE(reads_input({{"srun", "--input", "in.txt", "a"}, 3}, {}));
  EXPECT_FALSE(reads_input({{"srun", "a"}, 1}, {{"SLURM_STDINMODE", "in.txt"}}));
  EXPECT_TRUE(reads_input({{"srun", "-iall", "a"}, 2}, {{"SLURM_STDINMODE", "in.txt"}}));
}

}  // namespace
}  // namespace muster::attempts
