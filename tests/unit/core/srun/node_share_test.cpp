#include "core/srun/node_share.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

Words options(const Words& typed, const Environment& environment = {}, std::uint32_t gpus = 0) {
  Words words{"srun"};
  words.insert(words.end(), typed.begin(), typed.end());
  words.emplace_back("./train");
  const Command command{words, words.size() - 1};
  return share_options(read_line(command), environment,
                       {.parts = 4, .cpus_per_task = 8, .gpus = gpus});
}

std::string refusal(const Words& typed) {
  try {
    static_cast<void>(options(typed));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(NodeShare, TakesNoMoreThanItsPart) {
  EXPECT_THAT(options({}), ElementsAre("--exact", "--cpus-per-task=8", "--mem=0"));
  EXPECT_THAT(options({}, {}, 8),
              ElementsAre("--exact", "--cpus-per-task=8", "--gres=gpu:2", "--mem=0"));
}

TEST(NodeShare, DividesWhatIsMeantForTheNode) {
  EXPECT_THAT(options({"--gres=gpu:a100:4,nic:8"}, {}, 4),
              ElementsAre("--exact", "--cpus-per-task=8", "--gres=gpu:a100:1,nic:2", "--mem=0"));
  EXPECT_THAT(options({"--gpus-per-node=8"}, {}, 8),
              ElementsAre("--exact", "--cpus-per-task=8", "--gpus-per-node=2", "--mem=0"));
  EXPECT_THAT(options({"-N2", "--gpus=16"}, {}, 8),
              ElementsAre("--exact", "--cpus-per-task=8", "--gpus=2", "--mem=0"));
  EXPECT_THAT(options({"--mem=10G"}),
              ElementsAre("--exact", "--cpus-per-task=8", "--mem=2621440K"));
  EXPECT_THAT(options({"--mem=100"}), ElementsAre("--exact", "--cpus-per-task=8", "--mem=25600K"));
}

TEST(NodeShare, DividesWhatTheJobsVariablesSay) {
  EXPECT_THAT(options({}, {{"SLURM_GPUS_PER_NODE", "8"}, {"SLURM_CPUS_PER_TASK", "3"}}, 8),
              ElementsAre("--exact", "--cpus-per-task=3", "--gpus-per-node=2", "--mem=0"));
  EXPECT_THAT(options({}, {{"SLURM_GPUS", "16"}, {"SLURM_JOB_NUM_NODES", "2"}}, 8),
              ElementsAre("--exact", "--cpus-per-task=8", "--gpus=2", "--mem=0"));
}

TEST(NodeShare, LeavesAloneWhatIsMeantForEachTask) {
  EXPECT_THAT(options({"-c4", "--gpus-per-task=1", "--mem-per-cpu=2G"}, {}, 8),
              ElementsAre("--exact"));
}

TEST(NodeShare, SaysWhatCannotBeDivided) {
  EXPECT_EQ(refusal({"--gres=gpu:6"}),
            "groups=: --gres=gpu:6 cannot be divided evenly among 4 groups; use a multiple of 4");
  EXPECT_EQ(refusal({"--mem=much"}), "groups=: cannot parse --mem=much; use a size such as 16G");
}

TEST(NodeShare, DividesWholeCores) {
  EXPECT_EQ(cpus_per_task(64, 2, 4, 2), 8U);
  EXPECT_EQ(cpus_per_task(40, 2, 8, 1), 4U);
  EXPECT_EQ(cpus_per_task(6, 1, 4, 2), 1U);
  EXPECT_EQ(cpus_per_task(2, 1, 4, 1), 0U);
}

}  // namespace
}  // namespace muster::srun
