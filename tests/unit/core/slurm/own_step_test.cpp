#include "core/slurm/own_step.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

TEST(OwnStep, HasTasksUnlessItIsABatchScriptOrAShell) {
  for (const std::string step : {"0", "12"})
    EXPECT_TRUE(is_task({{"SLURM_STEP_ID", step}})) << step;
  for (const std::string step : {"", "-5", "-6", "4294967290", "4294967291"}) {
    EXPECT_FALSE(is_task({{"SLURM_STEP_ID", step}})) << step;
  }
  EXPECT_FALSE(is_task({}));
}

}  // namespace
}  // namespace muster::slurm
