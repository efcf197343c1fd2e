#include "launcher/tools/dump/running_step.hpp"

#include "fixtures/expect_error.hpp"

#include <gtest/gtest.h>

namespace muster::dump {
namespace {

using fixtures::expect_error;

const auto steps = running_steps(
    "42.batch|alice|node1|1|batch\n42.extern|alice|node[1-2]|2|extern\n42.0|alice|node[1-2]|4|train\n"
    "42.1|alice|node1|1|muster-check\n43.0|carol|node3|1|a|b\n50.2|bob|node3|8|train\n"
    "44.0|alice|node[|1|train\nslurm_load_jobs error: no\n");

TEST(RunningSteps, AreThoseThatSrunHasStarted) {
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].name, "42.0");
  EXPECT_EQ(steps[0].job(), "42");
  EXPECT_EQ(steps[0].nodes, (std::vector<std::string>{"node1", "node2"}));
  EXPECT_EQ(steps[0].tasks, 4U);
  EXPECT_EQ(steps[1].name, "43.0");
  EXPECT_EQ(steps[2].user, "bob");
}

TEST(ChosenStep, IsNamedByJobOrStepOrIsTheOnlyOne) {
  for (const auto* const name : {"42.0", "42", ""}) {
    EXPECT_EQ(chosen_step(steps, name, "alice").name, "42.0") << name;
  }
}

TEST(ChosenStep, OfAnEndedJobOrAnotherUserIsOneLine) {
  expect_error([] { chosen_step(steps, "41.0", "alice"); },
               "no step 41.0 is running (it has ended, or never existed); see `squeue --steps`");
  expect_error([] { chosen_step(steps, "50", "alice"); },
               "step 50.2 belongs to bob; you can only look at your own steps");
  expect_error([] { chosen_step(steps, "", "dave"); }, "you have no running step");
}

TEST(ChosenStep, IsNotGuessedWhereThereAreSeveral) {
  auto more = steps;
  for (const auto* const name : {"42.2", "42.3", "42.4", "42.5"}) more.push_back({name, "alice"});
  expect_error([&] { chosen_step(more, "42", "alice"); },
               "5 of your steps are running (42.0, 42.2, 42.3, 42.4, ...); name one of them");
}

TEST(ChosenStep, OfAJobArrayIsNamedByItsTask) {
  const auto found =
      with_job_numbers(running_steps("49_1.0|alice|node1|2|train\n49_2.0|alice|node2|2|train\n"
                                     "49_3.0|alice|node3|2|train\n42.0|bob|node3|1|train\n"),
                       {{"49_1", "50"}, {"49_2", "51"}});
  ASSERT_EQ(found.size(), 3U);
  for (const auto* const name : {"49_2", "49_2.0", "51", "51.0"}) {
    EXPECT_EQ(chosen_step(found, name, "alice").name, "51.0") << name;
  }
  expect_error([&] { chosen_step(found, "49", "alice"); },
               "2 of your steps are running (49_1.0, 49_2.0); name one of them");
}

TEST(ChosenStep, OfAnotherUserIsHisForRootToo) {
  expect_error([] { chosen_step(steps, "50", "root"); },
               "step 50.2 belongs to bob, and its ranks answer only that user; run "
               "`runuser -u bob -- muster dump 50.2`");
}

// As Slurm 26.05 prints them.
constexpr const char* shown_steps =
    "StepId=2.extern UserId=20001 State=RUNNING NodeList=node[1-3] Nodes=3 CPUs=0 Tasks=3 Name=extern\n"
    "StepId=2.0 UserId=20001 State=RUNNING NodeList=node[1-3] Nodes=3 CPUs=3 Tasks=6 Name=a Tasks=9\n"
    "StepId=49_2.1 UserId=20001 State=RUNNING NodeList=node1 Nodes=1 CPUs=1 Tasks=1 Name=train\n"
    "StepId=2.1 UserId=20001 State=RUNNING NodeList=node1 Nodes=1 CPUs=1 Tasks=1 Name=muster-check\n"
    "StepId=2.2 UserId=20001 State=PENDING NodeList=(null) Tasks=1 Name=train\n"
    "StepId=2.3 UserId=20001 State=RUNNING NodeList=node1 Tasks=1 Name=cut of";

TEST(ManagedSteps, AreThoseThatSrunHasStartedUnderAStepManager) {
  const auto found = managed_steps(shown_steps);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "2.0");
  EXPECT_EQ(found[0].user, "20001");
  EXPECT_EQ(found[0].nodes, (std::vector<std::string>{"node1", "node2", "node3"}));
  EXPECT_EQ(found[0].tasks, 6U);
  EXPECT_EQ(found[1].name, "49_2.1");
}

TEST(JobsWithoutSteps, AreRunningAndHaveNoneThatSqueueShows) {
  EXPECT_EQ(
      jobs_without_steps("42|42|R\n43|43|R\n45|45|R\n46|46|PD\n49_2|51|R\nsqueue: x\n", steps),
      (std::vector<std::string>{"45", "49_2"}));
}

const std::vector<slurm::HetJob> het{{"42", 0, "42"}, {"42", 1, "43"}};
const auto het_steps = merged(
    running_steps(
        "42.0|alice|node1|2|train\n43.0|alice|node[2-3]|4|train\n42.1|alice|node1|1|other\n"),
    het);

TEST(Merged, AHeterogeneousJobsStepHasItsComponents) {
  ASSERT_EQ(het_steps.size(), 2U);
  EXPECT_EQ(het_steps[0].name, "42.0");
  EXPECT_EQ(het_steps[0].nodes, (std::vector<std::string>{"node1", "node2", "node3"}));
  EXPECT_EQ(het_steps[0].tasks, 6U);
  EXPECT_EQ(het_steps[0].components,
            (std::vector<Component>{{"42.0", 0, {"node1"}}, {"43.0", 1, {"node2", "node3"}}}));
  EXPECT_EQ(het_steps[1].components, (std::vector<Component>{{"42.1", 0, {"node1"}}}));
}

TEST(Merged, ComponentsInsideOneJobAreOneStepOfIt) {
  const auto one = merged(running_steps("5.0|alice|node1|1|a\n5.0|alice|node2|1|b\n"), {});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].nodes, (std::vector<std::string>{"node1", "node2"}));
  EXPECT_EQ(one[0].tasks, 2U);
  EXPECT_TRUE(one[0].components.empty());
}

TEST(ChosenStep, OfAHeterogeneousJobIsNamedByAnyComponent) {
  for (const auto* const name : {"42.0", "43", "43.0", "42+1.0", "42+0.0"}) {
    EXPECT_EQ(chosen_step(het_steps, name, "alice").name, "42.0") << name;
  }
  EXPECT_EQ(chosen_step({het_steps[0]}, "42+1", "alice").name, "42.0");
  expect_error([] { chosen_step(het_steps, "42+2.0", "alice"); },
               "no step 42+2.0 is running (it has ended, or never existed); see `squeue --steps`");
}

}  // namespace
}  // namespace muster::dump
