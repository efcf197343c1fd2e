#include "core/remark/training_tools.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

using Words = std::vector<std::string>;

std::string tool(const Words& program) {
  const auto found = training_tool_of(program);
  return found ? std::string(found->name) : std::string();
}

TEST(TrainingTool, IsOneThatStartsALauncher) {
  EXPECT_EQ(tool({"axolotl", "train", "config.yml"}), "axolotl train");
  EXPECT_EQ(tool({"/venv/bin/axolotl", "train", "x.yml", "--launcher", "torchrun", "--",
                  "--nproc_per_node=8"}),
            "axolotl train");
  EXPECT_EQ(tool({"axolotl", "train", "x.yml", "--launcher=accelerate"}), "axolotl train");
  EXPECT_EQ(tool({"axolotl", "train", "x.yml", "--", "--cloud"}), "axolotl train");
  EXPECT_EQ(
      tool({"tune", "run", "--nproc_per_node", "8", "full_finetune_distributed", "--config", "x"}),
      "tune run");
  EXPECT_EQ(tool({"llamafactory-cli", "train", "x.yaml"}),
            "with several GPUs, llamafactory-cli train");
}

TEST(TrainingTool, IsNoneThatRunsInItsOwnProcess) {
  for (const auto& program :
       {Words{}, Words{"axolotl"}, Words{"axolotl", "preprocess", "x.yml"},
        Words{"axolotl", "train", "x.yml", "--launcher", "python"},
        Words{"axolotl", "train", "x.yml", "--launcher=python"},
        Words{"axolotl", "train", "x.yml", "--launcher"},
        Words{"axolotl", "train", "x.yml", "--no-accelerate"},
        Words{"axolotl", "train", "x.yml", "--cloud", "y.yml"},
        Words{"axolotl", "train", "x.yml", "--runtime=r.yml"}, Words{"tune", "run"},
        Words{"tune", "run", "--help"}, Words{"tune", "download", "--output-dir", "x"},
        Words{"tune", "run", "full_finetune_distributed", "--config", "x"},
        Words{"llamafactory-cli", "export", "x"}}) {
    EXPECT_EQ(tool(program), "") << (program.empty() ? "" : program.back());
  }
}

}  // namespace
}  // namespace muster::remark
