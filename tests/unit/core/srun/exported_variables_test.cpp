#include "core/srun/exported_variables.hpp"

#include "core/srun/command.hpp"

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

bool everything(std::vector<std::string> options, const Environment& environment = {}) {
  options.insert(options.begin(), "srun");
  const auto program = options.size();
  options.emplace_back("./train");
  options.emplace_back("--export=NONE");
  return hands_on_everything({options, program}, environment);
}

TEST(ExportedVariables, AreAllWithoutAWord) {
  EXPECT_TRUE(everything({}));
  EXPECT_TRUE(everything({"--export=ALL"}));
  EXPECT_TRUE(everything({"--export", "NONE", "--export", "ALL"}));
}

TEST(ExportedVariables, AreChosenByTheOption) {
  EXPECT_FALSE(everything({"--export=NONE"}));
  EXPECT_FALSE(everything({"--export", "NCCL_DEBUG"}));
  EXPECT_FALSE(everything({"--export=ALL,NCCL_DEBUG=INFO"}));
}

TEST(ExportedVariables, AreChosenByVariables) {
  EXPECT_FALSE(everything({}, {{"SLURM_EXPORT_ENV", "NONE"}}));
  EXPECT_FALSE(everything({}, {{"SRUN_EXPORT_ENV", "NONE"}}));
  EXPECT_TRUE(everything({}, {{"SLURM_EXPORT_ENV", "ALL"}}));
  EXPECT_TRUE(everything({"--export=ALL"}, {{"SLURM_EXPORT_ENV", "NONE"}}));
}

}  // namespace
}  // namespace muster::srun
