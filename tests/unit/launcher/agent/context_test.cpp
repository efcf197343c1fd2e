#include "launcher/agent/context.hpp"

#include "made_up_step.hpp"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

wire::StepFacts facts_of_second_node() {
  wire::StepFacts facts;
  facts.job_id = 42;
  facts.step_id = 3;
  facts.node_index = 1;
  facts.node_count = 2;
  facts.task_count = 4;
  facts.global_ids = {2, 3};
  facts.option = "jax,port=20005";
  facts.environment = {
      "SLURM_STEP_NODELIST=node[1-2]", "SLURM_STEP_TASKS_PER_NODE=2(x2)",
      "SLURM_STEP_NUM_TASKS=4",        "SLURM_CLUSTER_NAME=blue",
      "SLURM_DISTRIBUTION=block",      std::string("RANK=") + step::missing_plugin};
  return facts;
}

TEST(StepContext, IsReadFromWhatSlurmstepdKnows) {
  const auto context =
      read_context(facts_of_second_node(), {.config = {}, .trust_any_owner = true});
  EXPECT_EQ(context.node_name(), "node2");
  EXPECT_FALSE(context.is_leader());
  EXPECT_FALSE(context.is_alone());
  EXPECT_FALSE(context.can_meet_others());
  EXPECT_FALSE(context.supervisor());
  EXPECT_EQ(context.request().profile, "jax");
  EXPECT_EQ(context.ports.ports, std::vector<rendezvous::Port>{20005});
  EXPECT_EQ(context.name.cluster, "blue");
  EXPECT_FALSE(context.environment.contains("RANK"));
}

TEST(StepContext, MeetsOthersOnlyWithAKeyAndWhereThereAreSome) {
  auto context = made_up_step({"node1", "node2"}, 0);
  EXPECT_TRUE(context.is_leader());
  EXPECT_FALSE(context.can_meet_others());
  context.attempt.key = {1, 2, 3};
  EXPECT_TRUE(context.can_meet_others());
  context = made_up_step({"node1"}, 0);
  context.attempt.key = {1, 2, 3};
  EXPECT_TRUE(context.is_alone());
  EXPECT_FALSE(context.can_meet_others());
}

}  // namespace
}  // namespace muster::agent
