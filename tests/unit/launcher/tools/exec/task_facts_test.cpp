#include "launcher/tools/exec/task_facts.hpp"

#include "fixtures/expect_error.hpp"

#include <gtest/gtest.h>

namespace muster::exec {
namespace {

using fixtures::expect_error;

const Environment second_task{{"SLURM_CLUSTER_NAME", "blue"}, {"SLURM_JOB_ID", "42"},
                              {"SLURM_STEP_ID", "3"},         {"SLURM_NODEID", "1"},
                              {"SLURMD_NODENAME", "node2"},   {"SLURM_PROCID", "5"},
                              {"SLURM_LOCALID", "1"},         {"SLURM_GTIDS", "2,5,8"}};

Environment with(Environment environment, const char* name, const char* value) {
  environment.set(name, value);
  return environment;
}

Environment without(Environment environment, const char* name) {
  environment.unset(name);
  return environment;
}

TEST(TaskFacts, AreThoseOfSlurmsVariables) {
  const auto facts = task_facts(second_task);
  EXPECT_EQ(facts.step.cluster, "blue");
  EXPECT_EQ(facts.step.job_id, 42U);
  EXPECT_EQ(facts.step.step_id, 3U);
  EXPECT_EQ(facts.node_index, 1U);
  EXPECT_EQ(facts.node_name, "node2");
  EXPECT_EQ(facts.procid, 5U);
  EXPECT_EQ(facts.local_id, 1U);
  EXPECT_EQ(facts.local_tasks, (std::vector<layout::ProcId>{2, 5, 8}));
}

TEST(TaskFacts, SayWhatToDoInABatchScript) {
  fixtures::expect_error(
      [] { task_facts(without(second_task, "SLURM_STEP_ID")); },
      "this is a batch script or a shell of the job (SLURM_STEP_ID is not set); start it with "
      "srun");
  fixtures::expect_error([] { task_facts(with(second_task, "SLURM_STEP_ID", "4294967291")); },
                         "this is a batch script");
}

TEST(TaskFacts, SayWhatToDoOutsideAnyJob) {
  fixtures::expect_error([] { task_facts({}); },
                         "this is not one (SLURM_STEP_ID is not set); start it with srun");
}

TEST(TaskFacts, MustAgreeWithEachOther) {
  const auto disagree = "does not have task 5 at position";
  fixtures::expect_error([] { task_facts(with(second_task, "SLURM_GTIDS", "5,2")); }, disagree);
  fixtures::expect_error([] { task_facts(with(second_task, "SLURM_GTIDS", "2,x")); }, disagree);
  fixtures::expect_error([] { task_facts(without(second_task, "SLURM_GTIDS")); }, disagree);
}

TEST(Inherited, VariablesOfAnOuterStepAreNotTheUsers) {
  auto inner = with(with(second_task, "MUSTER_SET", "RANK OMP_NUM_THREADS"), "RANK", "7");
  inner = with(with(inner, "OMP_NUM_THREADS", "4"), "MUSTER_STEP", "42.2");
  EXPECT_EQ(without_inherited(inner, task_facts(inner).step), second_task);
}

TEST(Inherited, APlaceOfTheExchangeIsTheUsersOwnOutsideAnyTask) {
  const auto own = with(second_task, "MUSTER_EXCHANGE", "10.9.9.9:1234");
  EXPECT_EQ(without_inherited(own, task_facts(own).step), own);
  const auto inner = with(own, "MUSTER_STEP", "42.2");
  EXPECT_EQ(without_inherited(inner, task_facts(inner).step), second_task);
}

TEST(Inherited, NothingIsWhereMusterPlannedThisStep) {
  auto planned = with(with(second_task, "MUSTER_SET", "RANK"), "RANK", "5");
  planned = with(planned, "MUSTER_STEP", "42.3");
  const auto step = task_facts(planned).step;
  EXPECT_TRUE(is_planned(planned, step));
  EXPECT_EQ(without_inherited(planned, step), planned);
}

TEST(Planned, IsNoStepThatOnlyInheritedTheMark) {
  EXPECT_FALSE(is_planned(with(second_task, "MUSTER_STEP", "42.2"), task_facts(second_task).step));
  EXPECT_FALSE(is_planned(with(second_task, "MUSTER_SET", "RANK"), task_facts(second_task).step));
}

TEST(UserBoundCpus, AreSlurmsOwnWhereTheyAreMasksOrNone) {
  EXPECT_FALSE(user_bound_cpus({}));
  EXPECT_FALSE(user_bound_cpus({{"SLURM_CPU_BIND_TYPE", "mask_cpu:"}}));
  EXPECT_TRUE(user_bound_cpus({{"SLURM_CPU_BIND_TYPE", "map_cpu:"}}));
  EXPECT_TRUE(user_bound_cpus({{"SLURM_CPU_BIND_TYPE", "rank"}}));
  EXPECT_FALSE(user_bound_cpus({{"SLURM_CPU_BIND_TYPE", "none"}}));
}

}  // namespace
}  // namespace muster::exec
