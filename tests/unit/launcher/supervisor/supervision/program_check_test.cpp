#include "launcher/supervisor/supervision/program_check.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::supervision {
namespace {

TEST(ProgramElsewhere, IsOneThatSrunMoves) {
  for (const auto* const option :
       {"--container=/x", "--container-image=ubuntu", "--multi-prog", "--chdir=/tmp", "-D/tmp",
        "-lD/tmp", "--bcast", "--bcast=/tmp/a"}) {
    EXPECT_TRUE(program_elsewhere({{"srun", option, "./train"}, 2}, {})) << option;
  }
}

TEST(ProgramElsewhere, IsOneThatSrunMovesBecauseOfAVariable) {
  for (const auto* const variable :
       {"SLURM_WORKING_DIR", "SLURM_REMOTE_CWD", "SRUN_CONTAINER", "SRUN_CONTAINER_ID",
        "SLURM_BCAST", "SLURM_SRUN_MULTI", "PYXIS_CONTAINER_IMAGE", "PYXIS_CONTAINER_NAME"}) {
    EXPECT_TRUE(program_elsewhere({{"srun", "./train"}, 1}, {{variable, "1"}})) << variable;
  }
  EXPECT_FALSE(program_elsewhere({{"srun", "./train"}, 1},
                                 {{"SLURM_SRUN_MULTI", "no"}, {"PYXIS_CONTAINER_MOUNTS", "/x"}}));
}

TEST(ProgramElsewhere, IsOneOfAHeterogeneousStepOrUnknown) {
  EXPECT_TRUE(program_elsewhere({{"srun", "./a", ":", "./b"}, 1}, {}));
  EXPECT_TRUE(program_elsewhere({{"srun", "./a"}, 0}, {}));
}

TEST(ProgramElsewhere, IsNotOneWhoseOwnArgumentsLookLikeSruns) {
  EXPECT_FALSE(
      program_elsewhere({{"srun", "-n2", "./train", "--chdir=/x", "-D", "--bcast"}, 2}, {}));
  EXPECT_FALSE(program_elsewhere({{"srun", "--distributed=torch", "-N2", "./train"}, 3}, {}));
  EXPECT_FALSE(program_elsewhere({{"srun", "--comment", "-D", "./train"}, 3}, {}));
}

TEST(ProgramElsewhere, IsOneWhoseFilesAnotherPluginMayBring) {
  EXPECT_TRUE(program_elsewhere({{"srun", "--environment=pytorch", "python"}, 2}, {}));
  EXPECT_TRUE(program_elsewhere({{"srun", "--uenv", "x:v1", "python"}, 3}, {}));
  EXPECT_TRUE(program_elsewhere({{"srun", "python"}, 1},
                                {{"SLURM_SPANK__SLURM_SPANK_OPTION_uenv_uenv", "x"}}));
  EXPECT_FALSE(program_elsewhere({{"srun", "python"}, 1},
                                 {{"_SLURM_SPANK_OPTION_muster_distributed", "torch"}}));
}

class Fault : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::current_path(scratch_.path()); }
  void TearDown() override { std::filesystem::current_path(before_); }

  static std::string why(const srun::Command& command) { return fault(command).why; }
  static ProgramFault fault(const srun::Command& command) {
    return program_fault(command, {{"PATH", "/nowhere"}}, profiles);
  }

  void executable(const std::string& name) {
    scratch_.write(name, "#!/bin/sh\n");
    std::filesystem::permissions(name, std::filesystem::perms::owner_exec,
                                 std::filesystem::perm_options::add);
  }

  static inline const std::vector<std::string> profiles{"jax", "torch"};
  std::filesystem::path before_ = std::filesystem::current_path();
  fixtures::ScratchDirectory scratch_;
};

TEST_F(Fault, IsARelativePathToNothing) {
  EXPECT_EQ(fault({{"srun", "-n2", "./trian"}, 2}),
            (ProgramFault{"there is no program ./trian in this directory; check its path", true}));
  EXPECT_NE(why({{"srun", "bin/train"}, 1}), "");
  EXPECT_EQ(why({{"srun", "./a\n\x1b\xff"}, 1}),
            "there is no program ./a\\x0a\\x1b\\xff in this directory; check its path");
}

TEST_F(Fault, IsNotJudgedWhereThisHostCannotKnow) {
  scratch_.write("train", "");
  EXPECT_EQ(why({{"srun", "./train"}, 1}), "");
  EXPECT_EQ(why({{"srun", "other.py"}, 1}), "");          // on the node's PATH
  EXPECT_EQ(why({{"srun", "/opt/on/the/node"}, 1}), "");  // on a file system of the node
  EXPECT_EQ(why({{"srun", "-D/x", "./other"}, 2}), "");
  EXPECT_EQ(why({{"srun", "./other"}, 0}), "");
  for (const auto* const variable : {"SLURM_WORKING_DIR", "PYXIS_CONTAINER_IMAGE"}) {
    EXPECT_EQ(program_fault({{"srun", "./other"}, 1}, {{variable, "/x"}}, profiles).why, "");
    EXPECT_EQ(program_fault({{"srun", "train"}, 1}, {{variable, "/x"}}, profiles).why, "");
  }
  EXPECT_EQ(why({{"srun", "-n2"}, 2}), "");
}

TEST_F(Fault, IsANameThatOnlyThisDirectoryHas) {
  executable("train.py");
  EXPECT_EQ(why({{"srun", "-n2", "train.py"}, 2}),
            "the program train.py is not on PATH, but it is in this directory; did you mean "
            "./train.py?");
  EXPECT_EQ(program_fault({{"srun", "train.py"}, 1}, {{"PATH", "/bin:."}}, profiles).why, "");
  EXPECT_EQ(why({{"srun", "--export=PATH=/opt/bin", "train.py"}, 2}), "");
  std::filesystem::create_directory("src");
  EXPECT_EQ(why({{"srun", "src"}, 1}), "");
}

TEST_F(Fault, SaysHowAFileStartsThatIsNotExecutable) {
  scratch_.write("train.py", "");
  scratch_.write("train", "");
  EXPECT_NE(why({{"srun", "train.py"}, 1}).find("did you mean python3 train.py?"),
            std::string::npos);
  EXPECT_NE(why({{"srun", "train"}, 1}).find("(chmod +x train)"), std::string::npos);
}

TEST_F(Fault, IsAValueBehindTheOptionWithoutItsEqualsSign) {
  EXPECT_EQ(fault({{"srun", "-n2", "--distributed", "torch", "./train"}, 3}),
            (ProgramFault{"--distributed torch: the program would be torch, because a value needs "
                          "'='; did you mean --distributed=torch?",
                          true}));
  executable("torch");  // plain srun would start this one
  EXPECT_EQ(why({{"srun", "--distributed", "torch"}, 2}).find("would be"), std::string::npos);
}

TEST_F(Fault, IsOnlyARemarkWhereAnotherPluginMayBringTheProgram) {
  executable("train.py");
  const auto found = fault({{"srun", "--environment=image", "train.py"}, 2});
  EXPECT_NE(found.why, "");
  EXPECT_FALSE(found.is_certain);
  EXPECT_FALSE(fault({{"srun", "--environment=image", "./nowhere"}, 2}).is_certain);
  EXPECT_FALSE(program_fault({{"srun", "--distributed", "torch", "./train"}, 2},
                             {{"PYXIS_CONTAINER_IMAGE", "x"}}, profiles)
                   .is_certain);
}

}  // namespace
}  // namespace muster::supervision
