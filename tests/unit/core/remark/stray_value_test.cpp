#include "core/remark/stray_value.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

using Words = std::vector<std::string>;

const Words profiles{"jax", "torch"};

std::string remark_on_words(const Words& words, std::size_t program) {
  return stray_value(words, program, profiles);
}

TEST(StrayValue, IsWhatTheOptionInFrontOfItWouldTake) {
  for (const auto* const value : {"torch", "jax,verbose", "bind=core", "explain", "help", "off"}) {
    EXPECT_NE(remark_on_words({"srun", "--distributed", value, "./train"}, 2), "") << value;
  }
  EXPECT_NE(remark_on_words({"srun", "-n2", "--distribute", "torch"}, 3), "");
}

TEST(StrayValue, IsNoProgramThatTheOptionCannotTake) {
  for (const auto* const program : {"./torch", "train", "torch.py", "bind=many,", "", "python"}) {
    EXPECT_EQ(remark_on_words({"srun", "--distributed", program, "torch"}, 2), "") << program;
  }
}

TEST(StrayValue, StandsRightBehindTheBareOption) {
  EXPECT_EQ(remark_on_words({"srun", "--distributed", "-n2", "torch"}, 3), "");
  EXPECT_EQ(remark_on_words({"srun", "--distributed=torch", "torch"}, 2), "");
  EXPECT_EQ(remark_on_words({"srun", "--distribution", "torch"}, 2), "");
  EXPECT_EQ(remark_on_words({"srun", "torch"}, 1), "");
  EXPECT_EQ(remark_on_words({"srun", "--distributed"}, 2), "");
}

TEST(StrayValue, IsAValueBehindASpace) {
  EXPECT_EQ(
      remark_on_words({"srun", "--distributed=", "torch", "./train"}, 2),
      "--distributed= torch: the program would be torch, because a space ends the value; did you "
      "mean --distributed=torch?");
  EXPECT_EQ(
      remark_on_words({"srun", "--distributed=torch", "bind=core", "./train"}, 2),
      "--distributed=torch bind=core: the program would be bind=core, because a space ends the "
      "value; did you mean --distributed=torch,bind=core?");
  EXPECT_NE(remark_on_words({"srun", "--distribute=torch", "dry_run=on,bind=l3"}, 2), "");
  for (const auto* const program : {"torch", "verbose", "FOO=1", "./a=b", "bindd=core", "train"}) {
    EXPECT_EQ(remark_on_words({"srun", "--distributed=torch", program}, 2), "") << program;
  }
}

}  // namespace
}  // namespace muster::remark
