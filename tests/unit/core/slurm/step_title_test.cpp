#include "core/slurm/step_title.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

TEST(StepTitle, SaysWhetherTheStepIsTheJobsBatchScript) {
  EXPECT_TRUE(manages_batch_script("slurmstepd: [42.batch]", "42"));
  EXPECT_TRUE(manages_batch_script(std::string("slurmstepd: [42.batch]\0\0", 24), "42"));
  EXPECT_TRUE(manages_batch_script("slurmstepd: [42.batch stepmgr]", "42"));
  EXPECT_TRUE(manages_batch_script("slurmstepd: [42.batch+0]", "42"));
  for (const std::string title :
       {"slurmstepd: [42.0]", "slurmstepd: [42.batch", "slurmstepd: [421.batch]",
        "slurmstepd: [42.batches]", "bash -c slurmstepd: [42.batch]", ""}) {
    EXPECT_FALSE(manages_batch_script(title, "42")) << title;
  }
}

}  // namespace
}  // namespace muster::slurm
