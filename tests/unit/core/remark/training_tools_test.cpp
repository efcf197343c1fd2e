#include "core/remark/training_tools.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

using Words = std::vector<std::string>;

std::string tool(const Words& program, const Environment& environment = {}) {
  const auto found = training_tool_of(program, environment);
  return found ? found->name : std::string();
}

std::string remedy(const Words& program, const Environment& environment = {}) {
  const auto found = training_tool_of(program, environment);
  return found ? found->remedy : std::string();
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
  EXPECT_EQ(tool({"trl", "sft", "--config", "x.yaml"}), "with several GPUs, trl sft");
}

TEST(TrainingTool, OfTrlRunsAsAModuleInOneRank) {
  for (const auto* const script : {"dpo", "grpo", "kto", "reward", "rloo", "sft"}) {
    EXPECT_EQ(remedy({"/venv/bin/trl", script, "--config", "x.yaml"}),
              std::string("use python3 -m trl.scripts.") + script + " instead");
  }
  EXPECT_EQ(tool({"trl", "vllm-serve", "--model", "x"}), "");
  EXPECT_EQ(tool({"trl", "env"}), "");
}

TEST(TrainingTool, OfSwiftStartsRanksOnlyIfAVariableSaysSo) {
  const Environment per_node{{"NPROC_PER_NODE", "8"}};
  const Environment nodes{{"NNODES", "2"}};
  EXPECT_EQ(tool({"swift", "sft", "--model", "x"}, per_node), "with NPROC_PER_NODE set, swift sft");
  EXPECT_EQ(tool({"megatron", "export", "--load", "x"}, nodes), "with NNODES set, megatron export");
  EXPECT_EQ(remedy({"swift", "rlhf"}, nodes), "unset NPROC_PER_NODE and NNODES");
  EXPECT_EQ(tool({"swift", "sft", "--model", "x"}), "");
  EXPECT_EQ(tool({"swift", "export", "--model", "x"}, per_node), "");
  EXPECT_EQ(tool({"swift", "deploy", "--model", "x"}, per_node), "");
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
