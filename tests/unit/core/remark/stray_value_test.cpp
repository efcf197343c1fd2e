#include "core/remark/stray_value.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

using Words = std::vector<std::string>;

const Words profiles{"jax", "torch"};

std::string found(const Words& words, std::size_t program) {
  return stray_value(words, program, profiles);
}

TEST(StrayValue, IsWhatTheOptionInFrontOfItWouldTake) {
  for (const auto* const value : {"torch", "jax,verbose", "bind=core", "explain", "help", "off"}) {
    EXPECT_NE(found({"srun", "--distributed", value, "./train"}, 2), "") << value;
  }
  EXPECT_NE(found({"srun", "-n2", "--distribute", "torch"}, 3), "");
}

TEST(StrayValue, IsNoProgramThatTheOptionCannotTake) {
  for (const auto* const program : {"./torch", "train", "torch.py", "bind=many,", "", "python"}) {
    EXPECT_EQ(found({"srun", "--distributed", program, "torch"}, 2), "") << program;
  }
}

TEST(StrayValue, StandsRightBehindTheBareOption) {
  EXPECT_EQ(found({"srun", "--distributed", "-n2", "torch"}, 3), "");
  EXPECT_EQ(found({"srun", "--distributed=torch", "torch"}, 2), "");
  EXPECT_EQ(found({"srun", "--distribution", "torch"}, 2), "");
  EXPECT_EQ(found({"srun", "torch"}, 1), "");
  EXPECT_EQ(found({"srun", "--distributed"}, 2), "");
}

}  // namespace
}  // namespace muster::remark
