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
  EXPECT_EQ(
      remark_on_gpus(tasks(1, 4)),
      "4 GPUs and 1 task: a rank uses one GPU, so use --ntasks-per-node=4; if the program starts its own "
      "ranks, use profile none; if the rank uses all of the GPUs, add gpus=own");
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

// As if they are shared in turn.
std::string remark_on_few(std::size_t count, std::size_t gpus,
                          option::Gpus wanted = option::Gpus::shared,
                          const resources::GpuConfinement& confinement = {}) {
  auto of_node = tasks(count, 1);
  for (std::size_t i = 0; i < count && gpus > 0; ++i) of_node[i].view.own = {i % gpus};
  return too_few_gpus(local_ranks, wanted, of_node, confinement);
}

TEST(TooFewGpus, AreFewerThanTheTasks) {
  EXPECT_EQ(
      remark_on_few(4, 2),
      "4 tasks and 2 GPUs: there is no GPU number 2 for LOCAL_RANK 2; use --ntasks-per-node=2, "
      "--gpus-per-node=4, or GPU number LOCAL_RANK % 2 in the program");
  EXPECT_EQ(
      remark_on_few(2, 1),
      "2 tasks and 1 GPU: there is no GPU number 1 for LOCAL_RANK 1; use --ntasks-per-node=1, "
      "--gpus-per-node=2, or GPU number LOCAL_RANK % 1 in the program");
}

TEST(TooFewGpus, AreNotThoseThatSufficeOrThatTheUserHasGivenOut) {
  EXPECT_EQ(remark_on_few(2, 2), "");
  EXPECT_EQ(remark_on_few(2, 4), "");
  EXPECT_EQ(remark_on_few(2, 0), "");
  EXPECT_EQ(remark_on_few(4, 2, option::Gpus::own), "");
  EXPECT_EQ(remark_on_few(4, 2, option::Gpus::shared, {.kind = Kind::by_cpus}), "");
}

TEST(OneInstanceEach, IsToldToThoseWhoDidNotAskForIt) {
  EXPECT_EQ(
      one_instance_each(local_ranks, option::Gpus::shared, option::Gpus::own),
      "a program can use only one MIG instance, so each rank sees only its own: a program that uses the GPU "
      "with index LOCAL_RANK fails; use GPU 0 in the program, and add gpus=own to turn off this warning");
  EXPECT_EQ(one_instance_each(local_ranks, option::Gpus::own, option::Gpus::own), "");
  EXPECT_EQ(one_instance_each(local_ranks, option::Gpus::shared, option::Gpus::shared), "");
}

TEST(OneInstanceEach, IsNoNewsToAFrameworkThatUsesAllThatItSees) {
  const auto workers = made_up_profile("RANK", "{rank}");
  EXPECT_EQ(one_instance_each(workers, option::Gpus::shared, option::Gpus::own), "");
}

}  // namespace
}  // namespace muster::remark
