#include "launcher/supervise/srun_command.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::supervise {
namespace {

using Words = std::vector<std::string>;

TEST(SrunCommand, KnowsItsOwnOptionsFromTheProgramsArguments) {
  EXPECT_EQ((SrunCommand{{"srun", "-n2", "a", "-D"}, 2}).options(), Words{"-n2"});
  EXPECT_EQ((SrunCommand{{"srun", "a"}, 1}).options(), Words{});
  EXPECT_EQ((SrunCommand{{"srun", "-n2", "a"}, 0}).options(), (Words{"-n2", "a"}));
  EXPECT_EQ((SrunCommand{{"srun", "-n2"}, 9}).options(), Words{"-n2"});
}

}  // namespace
}  // namespace muster::supervise
