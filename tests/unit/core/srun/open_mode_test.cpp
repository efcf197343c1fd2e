#include "core/srun/open_mode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using testing::ElementsAre;

TEST(OpenMode, AFurtherAttemptAppendsToTheFilesOfTheOneBefore) {
  const auto command = appending({{"srun", "-o", "out", "python3", "train.py"}, 3}, {});
  EXPECT_THAT(command.words,
              ElementsAre("srun", "--open-mode=append", "-o", "out", "python3", "train.py"));
  EXPECT_EQ(command.program, 4U);
}

TEST(OpenMode, TheUsersModeStays) {
  for (const Command& command : {Command{{"srun", "--open-mode=truncate", "a"}, 2},
                                 Command{{"srun", "--open-mode", "t", "a"}, 3},
                                 Command{{"srun", "--open-m=append", "a"}, 2}}) {
    EXPECT_EQ(appending(command, {}).words, command.words);
  }
  const Command plain{{"srun", "-o", "out", "a"}, 3};
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

}  // namespace
}  // namespace muster::srun
