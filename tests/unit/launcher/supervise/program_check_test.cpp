#include "launcher/supervise/program_check.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::supervise {
namespace {

TEST(ProgramElsewhere, IsOneThatSrunMoves) {
  for (const auto* const option : {"--container=/x", "--container-image=ubuntu", "--multi-prog",
                                   "--chdir=/tmp", "-D/tmp", "-D", "--bcast", "--bcast=/tmp/a"}) {
    EXPECT_TRUE(program_elsewhere({{"srun", option, "./train"}, 2})) << option;
  }
}

TEST(ProgramElsewhere, IsOneOfAHeterogeneousStepOrUnknown) {
  EXPECT_TRUE(program_elsewhere({{"srun", "./a", ":", "./b"}, 1}));
  EXPECT_TRUE(program_elsewhere({{"srun", "./a"}, 0}));
}

TEST(ProgramElsewhere, IsNotOneWhoseOwnArgumentsLookLikeSruns) {
  EXPECT_FALSE(program_elsewhere({{"srun", "-n2", "./train", "--chdir=/x", "-D", "--bcast"}, 2}));
  EXPECT_FALSE(program_elsewhere({{"srun", "--distributed=torch", "-N2", "./train"}, 3}));
}

class MissingProgram : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::current_path(scratch_.path()); }
  void TearDown() override { std::filesystem::current_path(before_); }

  std::filesystem::path before_ = std::filesystem::current_path();
  fixtures::ScratchDirectory scratch_;
};

TEST_F(MissingProgram, IsARelativePathToNothing) {
  EXPECT_EQ(missing_program({{"srun", "-n2", "./trian"}, 2}),
            "there is no program ./trian in this directory; check its path");
  EXPECT_NE(missing_program({{"srun", "bin/train"}, 1}), "");
  EXPECT_EQ(missing_program({{"srun", "./a\n\x1b\xff"}, 1}),
            "there is no program ./a\\x0a\\x1b\\xff in this directory; check its path");
}

TEST_F(MissingProgram, IsNotJudgedWhereThisHostCannotKnow) {
  scratch_.write("train", "");
  EXPECT_EQ(missing_program({{"srun", "./train"}, 1}), "");
  EXPECT_EQ(missing_program({{"srun", "train.py"}, 1}), "");          // PATH of the node
  EXPECT_EQ(missing_program({{"srun", "/opt/on/the/node"}, 1}), "");  // a file system of the node
  EXPECT_EQ(missing_program({{"srun", "-D/x", "./other"}, 2}), "");
  EXPECT_EQ(missing_program({{"srun", "./other"}, 0}), "");
  EXPECT_EQ(missing_program({{"srun", "-n2"}, 2}), "");
}

}  // namespace
}  // namespace muster::supervise
