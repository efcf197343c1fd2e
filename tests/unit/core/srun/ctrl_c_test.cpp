#include "core/srun/ctrl_c.hpp"

#include <chrono>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using namespace std::chrono_literals;

std::vector<bool> endings(CtrlC ctrl_c, std::initializer_list<std::chrono::milliseconds> times) {
  std::vector<bool> ends;
  for (const auto time : times) ends.push_back(ctrl_c.ends_step(CtrlC::Time{time}));
  return ends;
}

bool first_ends(std::vector<std::string> options, const Environment& environment = {}) {
  options.insert(options.begin(), "srun");
  const auto program = options.size();
  options.emplace_back("./train");
  return first_ctrl_c_ends(environment, {options, program});
}

TEST(CtrlC, EndsAStepTheSecondTimeWithinASecond) {
  EXPECT_EQ(endings(CtrlC(false), {0ms, 900ms}), (std::vector{false, true}));
  EXPECT_EQ(endings(CtrlC(false), {0ms, 5s, 10s, 11s}), (std::vector{false, false, false, true}));
}

TEST(CtrlC, EndsItAtOnceWhereTheUserAskedForThat) {
  EXPECT_EQ(endings(CtrlC(true), {0ms}), (std::vector{true}));
  EXPECT_TRUE(first_ends({"-n2", "--quit-on-interrupt"}));
  EXPECT_TRUE(first_ends({"-X"}));
  EXPECT_TRUE(first_ends({"--disable-status"}));
  EXPECT_TRUE(first_ends({}, {{"SLURM_DISABLE_STATUS", "1"}}));
  EXPECT_FALSE(first_ends({"-n2"}));
}

}  // namespace
}  // namespace muster::srun
