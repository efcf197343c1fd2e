#include "core/cost/step_number.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::cost {
namespace {

using std::string_literals::operator""s;

TEST(StepNumber, IsATextThatIsOneNumber) {
  EXPECT_EQ(step_number("1200\n"), 1200);
  EXPECT_EQ(step_number("  7  "), 7);
  EXPECT_EQ(step_number("0"), 0);
  EXPECT_EQ(step_number("12.5"), 12.5);
}

TEST(StepNumber, FollowsTheWordStep) {
  EXPECT_EQ(step_number(R"({"epoch": 3, "step": 1200})"), 1200);
  EXPECT_EQ(step_number("step 1\n"), 1);
  EXPECT_EQ(step_number("epoch=3 global_step=17 loss=2.5"), 17);
  EXPECT_EQ(step_number("iteration: 40"), 40);
  EXPECT_EQ(step_number("steps_per_epoch 100\nstep\t9"), 9);
}

TEST(StepNumber, IsNoneInAnythingElse) {
  for (const auto& text : {""s, "\n"s, "epoch 3"s, "-4"s, "1e6"s, "12 of 30"s, "step"s, "step one"s,
                           "step12"s, "step 12abc"s, "step -3"s, "0x10"s, "nan"s,
                           "1234567890123456"s, "9"s + '\0', "PK\3\4step 7"s, "\xff\xfe 7"s}) {
    EXPECT_EQ(step_number(text), std::nullopt) << text;
  }
  EXPECT_EQ(step_number(std::string(4096, '9')), std::nullopt);
}

}  // namespace
}  // namespace muster::cost
