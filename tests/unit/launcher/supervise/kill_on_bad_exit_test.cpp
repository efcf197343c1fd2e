#include "launcher/supervise/kill_on_bad_exit.hpp"

#include <gtest/gtest.h>

namespace muster::supervise {
namespace {

TEST(KillOnBadExit, IsMustersToChooseWhereTheUserSaysNothing) {
  EXPECT_EQ(chose_kill_on_bad_exit({}, {"-n2", "--mpi=pmix"}), std::nullopt);
  EXPECT_EQ(chose_kill_on_bad_exit({}, {"-n2", "-k"}), std::nullopt);
  EXPECT_EQ(chose_kill_on_bad_exit({}, {}), std::nullopt);
}

TEST(KillOnBadExit, IsReadInEachFormOfTheOption) {
  for (const auto* const word : {"-K", "-K1", "--kill-on-bad-exit", "--kill-on-bad-exit=1"}) {
    EXPECT_EQ(chose_kill_on_bad_exit({}, {"-n2", word}), true) << word;
  }
  for (const auto* const word : {"-K0", "--kill-on-bad-exit=0", "--kill-on=0"}) {
    EXPECT_EQ(chose_kill_on_bad_exit({}, {word, "-n2"}), false) << word;
  }
}

TEST(KillOnBadExit, IsNotMistakenForAnOptionThatBeginsTheSame) {
  EXPECT_EQ(chose_kill_on_bad_exit({}, {"--kill-on-invalid-dep=yes"}), std::nullopt);
}

TEST(KillOnBadExit, ComesFromTheVariableUnlessTheOptionIsThere) {
  EXPECT_EQ(chose_kill_on_bad_exit({{"SLURM_KILL_BAD_EXIT", "0"}}, {}), false);
  EXPECT_EQ(chose_kill_on_bad_exit({{"SLURM_KILL_BAD_EXIT", "0"}}, {"-K"}), true);
}

TEST(KillOnBadExit, GoesToSrunAsAnOptionWhereMusterChooses) {
  const srun::Command command{{"srun", "-n2", "./train", "-K"}, 2};
  const auto ended = with_kill_on_bad_exit(command, {}, true);
  EXPECT_EQ(ended.words,
            (std::vector<std::string>{"srun", "--kill-on-bad-exit=1", "-n2", "./train", "-K"}));
  EXPECT_EQ(ended.program, 3);
  EXPECT_EQ(with_kill_on_bad_exit(command, {}, false).words[1], "--kill-on-bad-exit=0");
  EXPECT_EQ(with_kill_on_bad_exit({{"srun", "--multi-prog"}, 0}, {}, true).program, 0);
}

TEST(KillOnBadExit, StaysTheUsersChoice) {
  const srun::Command command{{"srun", "-K0", "./train"}, 2};
  EXPECT_EQ(with_kill_on_bad_exit(command, {}, true).words, command.words);
  const srun::Command plain{{"srun", "./train"}, 1};
  EXPECT_EQ(with_kill_on_bad_exit(plain, {{"SLURM_KILL_BAD_EXIT", "0"}}, true).words, plain.words);
}

}  // namespace
}  // namespace muster::supervise
