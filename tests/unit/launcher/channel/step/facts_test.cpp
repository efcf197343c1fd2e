#include "launcher/channel/step/facts.hpp"

#include "core/rendezvous/port_candidates.hpp"
#include "fixtures/expect_error.hpp"
#include "launcher/channel/address.hpp"
#include "launcher/channel/step/step_request.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::step {
namespace {

using Addresses = std::vector<std::string>;

TEST(ChannelOf, IsFirstWhereSlurmItselfHeardOfSrun) {
  const StepRequest attempt{.request = {}, .channel = {.port = 7000, .addresses = {"10.0.0.1"}}};
  EXPECT_EQ(channel_of(attempt, {{"SLURM_SRUN_COMM_HOST", "fd00::1"}}).addresses,
            (Addresses{"fd00::1", "10.0.0.1"}));
  EXPECT_EQ(channel_of(attempt, {}).addresses, Addresses{"10.0.0.1"});
}

TEST(ChannelOf, IsNowhereWithoutASupervisor) {
  EXPECT_FALSE(channel_of({}, {{"SLURM_SRUN_COMM_HOST", "fd00::1"}}));
}

using Names = std::vector<std::string>;

wire::StepFacts node(std::uint32_t job_id, layout::NodeIndex index,
                     std::vector<layout::ProcId> tasks) {
  wire::StepFacts facts;
  facts.job_id = job_id;
  facts.step_id = 3;
  facts.node_index = index;
  facts.task_count = 4;
  facts.global_ids = std::move(tasks);
  return facts;
}

const layout::Layout plain{{"a", "b"}, {0, 0, 1, 1}, ""};
// `srun -n1 x : -N2 -n3 y` in one allocation, and the same in a heterogeneous job.
const layout::Layout step{{"a", "b", "c"}, {0, 1, 1, 2}, "", {{7, 0, 0}, {7, 1, 1}}};
const layout::Layout job{{"a", "b", "c"}, {0, 1, 1, 2}, "", {{7, 0, 0}, {8, 1, 1}}};

TEST(NodeOf, IsSlurmsIndexInAnOrdinaryStep) {
  EXPECT_EQ(node_of(node(7, 1, {2, 3}), plain, {}), 1U);
}

TEST(NodeOf, RefusesALayoutThatSlurmstepdContradicts) {
  for (const auto& facts :
       {node(7, 0, {2, 3}), node(7, 2, {2, 3}), node(7, 1, {2}), node(7, 4'294'967'295, {2, 3})}) {
    EXPECT_NE(fixtures::error_of([&] { node_of(facts, plain, {}); }).find("disagree"),
              std::string::npos);
  }
}

TEST(NodeOf, IsFoundByTheComponentsJob) {
  EXPECT_EQ(node_of(node(7, 0, {0}), job, {}), 0U);
  EXPECT_EQ(node_of(node(8, 0, {0, 1}), job, {}), 1U);
  EXPECT_EQ(node_of(node(8, 1, {2}), job, {}), 2U);
  EXPECT_THROW(node_of(node(7, 1, {2}), job, {}), Error);
  EXPECT_THROW(node_of(node(9, 0, {0}), job, {}), Error);
}

TEST(NodeOf, IsFoundByTheComponentsTasksInOneJob) {
  EXPECT_EQ(node_of(node(7, 0, {0}), step, {}), 0U);
  EXPECT_EQ(node_of(node(7, 0, {0, 1}), step, {}), 1U);
  EXPECT_EQ(node_of(node(7, 1, {2}), step, {}), 2U);
}

TEST(NodeOf, TakesTasksCountedThroughTheStepToo) {
  EXPECT_EQ(node_of(node(8, 0, {1, 2}), job, {}), 1U);
  EXPECT_EQ(node_of(node(8, 1, {3}), job, {}), 2U);
}

TEST(NodeOf, AsksForTheNodesNameOnlyWhereComponentsLookAlike) {
  const layout::Layout alike{{"a", "b"}, {0, 1}, "", {{7, 0, 0}, {7, 1, 1}}};
  EXPECT_EQ(node_of(node(7, 0, {0}), alike, {"other", "b"}), 1U);
  EXPECT_EQ(node_of(node(7, 0, {0}), alike, {"a"}), 0U);
  EXPECT_THROW(node_of(node(7, 0, {0}), alike, {"c"}), Error);
}

TEST(OwnNames, BeginWithTheLeafOfSlurmsTopology) {
  EXPECT_EQ(own_names({{"SLURM_TOPOLOGY_ADDR", "s0.s1.node7"}}).front(), "node7");
  EXPECT_EQ(own_names({{"SLURM_TOPOLOGY_ADDR", "node7"}}).front(), "node7");
  EXPECT_FALSE(own_names({}).empty());
}

TEST(StepNameOf, IsTheSameForEveryComponent) {
  const auto first = step_name_of(node(7, 0, {0}), {}, job, 0);
  const auto second = step_name_of(node(8, 1, {2}), {}, job, 0);
  EXPECT_EQ(run_id(first), "7.3");
  EXPECT_EQ(run_id(second), "7.3");
  EXPECT_EQ(run_id(step_name_of(node(9, 0, {0, 1}), {}, plain, 0)), "9.3");
}

TEST(LayoutOf, SaysHowToPassAHeterogeneousStepsLayout) {
  const Environment environment{{"SLURM_STEP_NUM_TASKS", "6"},
                                {"SLURM_STEP_NODELIST", "a"},
                                {"SLURM_STEP_TASKS_PER_NODE", "4"}};
  EXPECT_NE(fixtures::error_of([&] {
              layout_of(node(7, 0, {0, 1, 2, 3}), environment);
            }).find("--export=SLURM_MUSTER_STEP,"),
            std::string::npos);
}

TEST(NotForTasks, AreThePlaceholdersAndSrunsExport) {
  wire::StepFacts facts;
  facts.environment = {"A=1", "RANK=no-muster.so-on-this-node",
                       "SRUN_EXPORT_ENV=SLURM_MUSTER_STEP,ALL"};
  EXPECT_EQ(not_for_tasks(facts), (Names{"RANK", "SRUN_EXPORT_ENV"}));
  facts.environment = {"SRUN_EXPORT_ENV=ALL", "BAD"};
  EXPECT_EQ(not_for_tasks(facts), Names{});
}

}  // namespace
}  // namespace muster::step
