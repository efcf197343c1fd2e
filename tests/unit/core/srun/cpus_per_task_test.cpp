#include "core/srun/cpus_per_task.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

// `srun OPTIONS ./train` in a job of two nodes, four tasks and three CPUs for each.
std::optional<std::string> inherited(std::vector<std::string> options, Environment more = {}) {
  Environment environment{{"SLURM_JOB_ID", "7"},
                          {"SLURM_JOB_NUM_NODES", "2"},
                          {"SLURM_NTASKS", "4"},
                          {"SLURM_CPUS_PER_TASK", "3"}};
  for (const auto& [name, value] : more) environment.set(name, value);
  options.insert(options.begin(), "srun");
  const auto program = options.size();
  options.emplace_back("./train");
  return inherited_cpus_per_task(environment, {options, program});
}

TEST(CpusPerTask, OfTheJobHoldForAStepOfItsShape) {
  EXPECT_EQ(inherited({}), "3");
  EXPECT_EQ(inherited({"--exact", "--distributed=torch"}), "3");
  EXPECT_EQ(inherited({"-n4"}), "3");
  EXPECT_EQ(inherited({"-n", "2"}), "3");
  EXPECT_EQ(inherited({"--ntasks=1", "--label"}), "3");
}

TEST(CpusPerTask, AreLeftToSrunWhereTheTasksMightNotFit) {
  for (const auto* const option : {"-n5", "--ntasks=8", "-N1", "--nodes=1", "-wnode1", "-r1",
                                   "--ntasks-per-node=4", "-mplane=2", "--het-group=0"}) {
    EXPECT_EQ(inherited({option}), std::nullopt) << option;
  }
  EXPECT_EQ(inherited({":"}), std::nullopt);
  EXPECT_EQ(inherited({}, {{"SLURM_HOSTFILE", "hosts"}}), std::nullopt);
  EXPECT_EQ(inherited({"-n3"}, {{"SLURM_NTASKS", ""}}), std::nullopt);
}

TEST(CpusPerTask, AreTheUsersOwnWhereTheSrunHasThem) {
  for (const auto* const option :
       {"-c2", "--cpus-per-task=2", "--cpus-per-gpu=4", "--tres-per-task=cpu:2", "-O", "-lc4"}) {
    EXPECT_EQ(inherited({option}), std::nullopt) << option;
    EXPECT_TRUE(chose_cpus({{"srun", option, "./train"}, 2})) << option;
  }
  EXPECT_EQ(inherited({}, {{"SRUN_CPUS_PER_TASK", "2"}}), std::nullopt);
  EXPECT_FALSE(chose_cpus({{"srun", "-n2", "./train", "-c"}, 2}));
  EXPECT_FALSE(chose_cpus({{"srun", "--comment", "-c4", "./train"}, 3}));
}

TEST(CpusPerTask, MayBeFewOnPurposeWhereStepsShareAJob) {
  for (const std::string option : {"--exact", "--exclusive", "--overlap"}) {
    EXPECT_TRUE(shares_job({{"srun", option, "./train"}, 2})) << option;
  }
  EXPECT_FALSE(shares_job({{"srun", "-n2", "./train", "--exact"}, 2}));
  EXPECT_FALSE(shares_job({{"srun", "--exclude=n3", "./train"}, 2}));
}

TEST(CpusPerTask, AreNotThoseOfAnotherStep) {
  const Environment submitted_by_a_task{{"SLURM_STEP_NODELIST", "node9"}};
  EXPECT_EQ(inherited({}, submitted_by_a_task), "3");  // the job's own, as Slurm replaced it
  Environment without_cpus{submitted_by_a_task};
  without_cpus.set("SLURM_CPUS_PER_TASK", "1");
  EXPECT_EQ(inherited({}, without_cpus), std::nullopt);
  EXPECT_EQ(inherited({}, {{"SLURM_CPUS_PER_TASK", "1"}}), "1");
  const auto below = [](const std::string& step) {
    return inherited({}, {{"SLURM_STEP_NODELIST", "node1"}, {"SLURM_STEP_ID", step}});
  };
  EXPECT_EQ(below("0"), std::nullopt);
  EXPECT_EQ(below("4294967290"), "3");  // salloc's shell on a node
}

TEST(CpusPerTask, AreNotThoseOfAJobThatHasEnded) {
  EXPECT_EQ(inherited_cpus_per_task({{"SLURM_CPUS_PER_TASK", "3"}}, {{"srun", "./train"}, 1}),
            std::nullopt);
}

}  // namespace
}  // namespace muster::srun
