#include "core/srun/components.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

TEST(Components, AreCommandsOfTheirOwn) {
  const Command command{{"srun", "--distributed=torch,groups=2", "-N2", "./train", "-n", "3", ":",
                         "-N4", "--distributed=vllm", "--", "./serve"},
                        3};
  EXPECT_TRUE(has_components(command));
  const auto commands = component_commands(command);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].words,
            (Words{"srun", "--distributed=torch,groups=2", "-N2", "./train", "-n", "3"}));
  EXPECT_EQ(commands[0].program, 3U);
  EXPECT_EQ(commands[1].words, (Words{"srun", "-N4", "--distributed=vllm", "--", "./serve"}));
  EXPECT_EQ(commands[1].words.at(commands[1].program), "./serve");
}

TEST(Components, HaveTheFirstOnesOptionUnlessTheyHaveTheirOwn) {
  const Command command{{"srun", "--distributed", "jax", "./a", ":", "-N2", "./b", "x"}, 3};
  const auto commands = component_commands(command);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[1].words, (Words{"srun", "--distributed", "jax", "-N2", "./b", "x"}));
  EXPECT_EQ(commands[1].words.at(commands[1].program), "./b");
}

TEST(Components, AreStepsOfTheSameJob) {
  const Command command{{"srun", "--jobid=4711", "./a", ":", "-N2", "./b"}, 2};
  const auto commands = component_commands(command);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[1].words, (Words{"srun", "--jobid=4711", "-N2", "./b"}));
}

TEST(Components, AreOneWithoutAColon) {
  const Command command{{"srun", "-N2", "./a", "--", "b"}, 2};
  EXPECT_FALSE(has_components(command));
  const auto commands = component_commands(command);
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].words, command.words);
  EXPECT_EQ(commands[0].program, 2U);
}

}  // namespace
}  // namespace muster::srun
