#include "core/remark/idle_gpus.hpp"

#include "unit/core/remark/made_up_profile.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

using Kind = resources::GpuConfinement::Kind;

const auto local_ranks = made_up_profile("LOCAL_RANK", "{local_rank}");

std::vector<resources::TaskResources> tasks(std::size_t count, std::size_t gpus) {
  std::vector<resources::TaskResources> made(count);
  for (auto& task : made) task.gpus.resize(gpus);
  return made;
}

std::string remark_on_gpus(const std::vector<resources::TaskResources>& of_node) {
  return idle_gpus(local_ranks, option::Gpus::shared, of_node, {});
}

TEST(IdleGpus, AreThoseOfASingleTask) {
  EXPECT_EQ(remark_on_gpus(tasks(1, 4)),
            "4 GPUs and 1 task: a rank uses one GPU, so use --ntasks-per-node=4; gpus=own says "
            "that the rank uses all");
  auto torch = local_ranks;
  torch.environment.push_back({"TORCHELASTIC_RUN_ID", profile::Template::parse("1", "here")});
  EXPECT_NE(idle_gpus(torch, option::Gpus::shared, tasks(1, 2), {}).find(", or profile torchrun"),
            std::string::npos);
}

TEST(IdleGpus, AreNotThoseOfSeveralTasksAndNotASingleOne) {
  EXPECT_EQ(remark_on_gpus(tasks(2, 2)), "");
  EXPECT_EQ(remark_on_gpus(tasks(1, 1)), "");
  EXPECT_EQ(remark_on_gpus(tasks(1, 0)), "");
}

TEST(IdleGpus, AreNotThoseOfAFrameworkThatUsesAllThatItSees) {
  const auto agent = made_up_profile("LOCAL_RANK", "{local_rank}", profile::Mode::agent);
  EXPECT_EQ(idle_gpus(agent, option::Gpus::shared, tasks(1, 4), {}), "");
  const auto workers = made_up_profile("RANK", "{rank}");
  EXPECT_EQ(idle_gpus(workers, option::Gpus::shared, tasks(1, 4), {}), "");
}

TEST(IdleGpus, AreTheUsersChoice) {
  EXPECT_EQ(idle_gpus(local_ranks, option::Gpus::own, tasks(1, 4), {}), "");
  EXPECT_EQ(idle_gpus(local_ranks, option::Gpus::shared, tasks(1, 4), {.kind = Kind::per_task}),
            "");
}

}  // namespace
}  // namespace muster::remark
