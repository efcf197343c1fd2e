#include "launcher/supervisor/streams/open_mode.hpp"
#include "launcher/supervisor/streams/standard_input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::streams {
namespace {

using srun::Command;
using testing::ElementsAre;

TEST(OpenMode, AFurtherAttemptAppendsToTheFilesOfTheOneBefore) {
  const auto command = appending({{"srun", "-o", "out", "python3", "train.py"}, 3}, {});
  EXPECT_THAT(command.words,
              ElementsAre("srun", "--open-mode=append", "-o", "out", "python3", "train.py"));
  EXPECT_EQ(command.program, 4U);
}

TEST(OpenMode, TheUsersModeStays) {
  for (const srun::Command& command : {srun::Command{{"srun", "--open-mode=truncate", "a"}, 2},
                                       srun::Command{{"srun", "--open-mode", "t", "a"}, 3},
                                       srun::Command{{"srun", "--open-m=append", "a"}, 2}}) {
    EXPECT_EQ(appending(command, {}).words, command.words);
  }
  const srun::Command plain{{"srun", "-o", "out", "a"}, 3};
  EXPECT_EQ(appending(plain, {{"SLURM_OPEN_MODE", "t"}}).words, plain.words);
}

TEST(OpenMode, AnOptionOfTheProgramIsNotSruns) {
  EXPECT_THAT(appending({{"srun", "a", "--open-mode=t"}, 1}, {}).words,
              ElementsAre("srun", "--open-mode=append", "a", "--open-mode=t"));
}

TEST(OpenMode, EachComponentHasItsOwn) {
  EXPECT_THAT(
      appending({{"srun", "-oa", "x", ":", "-ob", "y"}, 0}, {}).words,
      ElementsAre("srun", "--open-mode=append", "-oa", "x", ":", "--open-mode=append", "-ob", "y"));
}

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
}  // namespace muster::streams
