#include "core/slurm/steps.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

using Steps = std::vector<ShownStep>;

// As `scontrol --oneliner show step 7` prints the steps of an array.
constexpr auto array_steps =
    "StepId=7_1.0 UserId=1 Name=train Network=(null)\nStepId=7_1.batch UserId=1 Name=batch\n"
    "StepId=7_3.0 UserId=1 Name=train Network=(null)\nStepId=7_3.12 UserId=1 Name=inner\n"
    "StepId=7_31.4 UserId=1 Name=train\nStepId=7_2.0 UserId=1 Name=train\n\n";

TEST(Steps, AreThoseOfOneTaskOfAnArray) {
  EXPECT_EQ(steps_from_text(array_steps, "7", "7_3"), (Steps{{"7.0", "train"}, {"7.12", "inner"}}));
  EXPECT_EQ(steps_from_text(array_steps, "9", "7_2"), (Steps{{"9.0", "train"}}));
}

TEST(Steps, AreNumberedIfSrunHasStartedThem) {
  for (const auto* const step : {"7.0", "7.12"}) EXPECT_TRUE(is_numbered(step)) << step;
  for (const auto* const step : {"7.extern", "7.batch", "7.TBD", "7.", "7", ""})
    EXPECT_FALSE(is_numbered(step)) << step;
}

TEST(Steps, HaveTheJobsNumberOutsideOfArrays) {
  EXPECT_EQ(steps_from_text("StepId=7.0 Name=a\nStepId=7.batch Name=batch\nStepId=77.1 Name=b\n",
                            "7", "7"),
            (Steps{{"7.0", "a"}, {"7.batch", "batch"}}));
  EXPECT_TRUE(steps_from_text("", "7", "7").empty());
  EXPECT_TRUE(steps_from_text("Invalid job id specified\nStepId=\nStepId=7\n", "7", "7").empty());
}

}  // namespace
}  // namespace muster::slurm
