#include "core/option/srun_options.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::option {
namespace {

TEST(SrunOption, MayBeAbbreviated) {
  EXPECT_TRUE(is_srun_option("ntasks-per-node"));
  EXPECT_TRUE(is_srun_option("ntasks-per-n"));
  EXPECT_FALSE(is_srun_option("environment"));
  EXPECT_FALSE(is_srun_option(""));
}

TEST(OptionsOfPlugins, AreThoseThatSrunAndMusterDoNotHave) {
  const std::vector<std::string> options{
      "-N2",    "--ntasks=4",     "--distributed=torch", "--environment=image",
      "--uenv", "x:v1",           "--exclusive",         "--container-mounts=/a",
      "--",     "--not-an-option"};
  EXPECT_EQ(options_of_plugins(options),
            (std::vector<std::string>{"environment", "uenv", "container-mounts"}));
}

}  // namespace
}  // namespace muster::option
