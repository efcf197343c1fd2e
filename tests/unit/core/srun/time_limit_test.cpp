#include "core/srun/time_limit.hpp"

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using std::chrono::minutes;

TEST(TimeLimit, IsReadInEachFormThatSlurmHas) {
  EXPECT_EQ(time_limit("90"), minutes{90});
  EXPECT_EQ(time_limit("90:00"), minutes{90});
  EXPECT_EQ(time_limit("1:30:00"), minutes{90});
  EXPECT_EQ(time_limit("2-3"), minutes{51 * 60});
  EXPECT_EQ(time_limit("2-3:04"), minutes{51 * 60 + 4});
  EXPECT_EQ(time_limit("2-3:04:00"), minutes{51 * 60 + 4});
}

TEST(TimeLimit, HasWholeMinutes) {
  EXPECT_EQ(time_limit("0:01"), minutes{1});
  EXPECT_EQ(time_limit("1:01"), minutes{2});
  EXPECT_EQ(time_limit("0-0:0:61"), minutes{2});
}

TEST(TimeLimit, IsNoneWithoutOne) {
  for (const auto* const text : {"0", "0:00", "UNLIMITED", "infinite", "-1", "", "1:2:3:4", "1-2-3",
                                 "1:", "x", "99999999999", "1-1:1:1:1"}) {
    EXPECT_EQ(time_limit(text), std::nullopt) << text;
  }
}

std::optional<minutes> time_chosen(std::vector<std::string> options,
                                   const Environment& environment = {}) {
  options.insert(options.begin(), "srun");
  const auto program = options.size();
  options.insert(options.end(), {"./train", "-t9"});
  return chosen_time_limit(environment, {options, program});
}

TEST(TimeLimit, ComesFromEachFormOfTheOption) {
  EXPECT_EQ(time_chosen({"-n2", "-t", "5"}), minutes{5});
  EXPECT_EQ(time_chosen({"-t5", "-n2"}), minutes{5});
  EXPECT_EQ(time_chosen({"--time=5"}), minutes{5});
  EXPECT_EQ(time_chosen({"--time", "5"}), minutes{5});
  EXPECT_EQ(time_chosen({"--time=5", "-t7"}), minutes{7});
  EXPECT_EQ(time_chosen({"-lt5"}), minutes{5});
  EXPECT_EQ(time_chosen({"--time-min=5"}), std::nullopt);
  EXPECT_EQ(time_chosen({}), std::nullopt);
}

TEST(TimeLimit, IsNotTheValueOfAnotherOption) {
  EXPECT_EQ(time_chosen({"-J", "-t5"}), std::nullopt);
  EXPECT_EQ(time_chosen({"--comment", "--time=5"}), std::nullopt);
}

TEST(TimeLimit, ComesFromTheVariableUnlessTheOptionIsThere) {
  EXPECT_EQ(time_chosen({"-n2"}, {{"SLURM_TIMELIMIT", "3"}}), minutes{3});
  EXPECT_EQ(time_chosen({"--time=0"}, {{"SLURM_TIMELIMIT", "3"}}), std::nullopt);
}

}  // namespace
}  // namespace muster::srun
