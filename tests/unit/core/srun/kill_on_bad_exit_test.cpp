#include "core/srun/kill_on_bad_exit.hpp"

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

std::optional<bool> kill_chosen(std::vector<std::string> options,
                                const Environment& environment = {}) {
  options.insert(options.begin(), "srun");
  const auto program = options.size();
  options.emplace_back("./train");
  return chose_kill_on_bad_exit(environment, {options, program});
}

TEST(KillOnBadExit, IsMustersToChooseWhereTheUserSaysNothing) {
  EXPECT_EQ(kill_chosen({"-n2", "--mpi=pmix"}), std::nullopt);
  EXPECT_EQ(kill_chosen({"-n2", "-k"}), std::nullopt);
  EXPECT_EQ(kill_chosen({}), std::nullopt);
}

TEST(KillOnBadExit, IsReadInEachFormOfTheOption) {
  for (const auto* const word : {"-K", "-K1", "--kill-on-bad-exit", "--kill-on-bad-exit=1"}) {
    EXPECT_EQ(kill_chosen({"-n2", word}), true) << word;
  }
  for (const auto* const word : {"-K0", "--kill-on-bad-exit=0", "--kill-on=0", "-lK0"}) {
    EXPECT_EQ(kill_chosen({word, "-n2"}), false) << word;
  }
}

TEST(KillOnBadExit, IsNotMistakenForAnOptionThatBeginsTheSame) {
  EXPECT_EQ(kill_chosen({"--kill-on-invalid-dep=yes"}), std::nullopt);
  EXPECT_EQ(kill_chosen({"--comment", "-K0"}), std::nullopt);
}

TEST(KillOnBadExit, ComesFromTheVariableUnlessTheOptionIsThere) {
  EXPECT_EQ(kill_chosen({}, {{"SLURM_KILL_BAD_EXIT", "0"}}), false);
  EXPECT_EQ(kill_chosen({"-K"}, {{"SLURM_KILL_BAD_EXIT", "0"}}), true);
}

TEST(KillOnBadExit, GoesToSrunAsAnOptionWhereMusterChooses) {
  const Command command{{"srun", "-n2", "./train", "-K"}, 2};
  const auto ended = with_kill_on_bad_exit(command, {}, true);
  EXPECT_EQ(ended.words,
            (std::vector<std::string>{"srun", "--kill-on-bad-exit=1", "-n2", "./train", "-K"}));
  EXPECT_EQ(ended.program, 3);
  EXPECT_EQ(with_kill_on_bad_exit(command, {}, false).words[1], "--kill-on-bad-exit=0");
  EXPECT_EQ(with_kill_on_bad_exit({{"srun", "--multi-prog"}, 0}, {}, true).program, 0);
}

TEST(KillOnBadExit, StaysTheUsersChoice) {
  const Command command{{"srun", "-K0", "./train"}, 2};
  EXPECT_EQ(with_kill_on_bad_exit(command, {}, true).words, command.words);
  const Command plain{{"srun", "./train"}, 1};
  EXPECT_EQ(with_kill_on_bad_exit(plain, {{"SLURM_KILL_BAD_EXIT", "0"}}, true).words, plain.words);
}

}  // namespace
}  // namespace muster::srun
