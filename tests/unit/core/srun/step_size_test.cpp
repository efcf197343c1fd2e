#include "core/srun/step_size.hpp"

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using Words = std::vector<std::string>;

Command command(Words options) {
  options.insert(options.begin(), "srun");
  const auto program = options.size();
  options.insert(options.end(), {"./train", "-N9", "--nodes=9"});
  return {options, program};
}

StepSize counts(std::optional<std::uint32_t> nodes, std::optional<std::uint32_t> tasks = {},
                std::optional<std::uint32_t> tasks_per_node = {}) {
  return {nodes, tasks, tasks_per_node, false, false};
}

StepSize size(const Words& options, const Environment& environment = {}) {
  return step_size(command(options), environment);
}

TEST(StepSize, IsWhatTheCommandLineSays) {
  EXPECT_EQ(size({"-N4", "-n", "16"}), counts(4, 16));
  EXPECT_EQ(size({"--nodes", "2-4", "--tasks-per-node=8"}), counts(2, {}, 8));
  EXPECT_EQ(size({"-N1k"}).nodes, 1024U);
  EXPECT_EQ(size({}), StepSize{});
}

TEST(StepSize, IsTheLastWord) {
  EXPECT_EQ(size({"-N4", "--nodes=3", "-n2", "-n5"}), counts(3, 5));
}

TEST(StepSize, IsOfVariablesWhereTheCommandLineSaysNothing) {
  const Environment environment{{"SLURM_NPROCS", "9"},
                                {"SLURM_NTASKS", "8"},
                                {"SLURM_NTASKS_PER_NODE", "2"},
                                {"SLURM_JOB_NUM_NODES", "5"}};
  EXPECT_EQ(size({}, environment), counts({}, 8, 2));
  EXPECT_EQ(size({"-n4"}, environment).tasks, 4U);
}

TEST(StepSize, HasTheLinesTasksWhateverTheJobHasOnEachNode) {
  const Environment job{{"SLURM_NTASKS", "24"}, {"SLURM_NTASKS_PER_NODE", "8"}};
  EXPECT_EQ(size({"-N1", "-n1"}, job), counts(1, 1));
  EXPECT_EQ(size({"-n4", "--ntasks-per-node=2"}, job), counts({}, 4, 2));
  EXPECT_EQ(size({"-N1"}, job), counts(1, 24, 8));
}

TEST(StepSize, IsTheLinesOwnOnlyIfTheLineSaysSo) {
  for (const auto* const option : {"-N1", "-n1", "-wn1", "-xn1", "-r1", "-marbitrary"})
    EXPECT_TRUE(has_own_size(command({option}))) << option;
  for (const auto* const option : {"-l", "--ntasks-per-node=2", "-c4"})
    EXPECT_FALSE(has_own_size(command({option}))) << option;
}

TEST(StepSize, IsDeterminedByTheLineOnlyWithNodesAndTasks) {
  EXPECT_TRUE(determines_size(command({"-N2", "-n4"}), 2));
  EXPECT_FALSE(determines_size(command({"-N2", "-n4"}), 3));
  EXPECT_FALSE(determines_size(command({"-N2-3", "-n4"}), 2));
  EXPECT_FALSE(determines_size(command({"-N2"}), 2));
  EXPECT_FALSE(determines_size(command({"-n4", "--ntasks-per-node=2"}), 2));
}

TEST(StepSize, IsUnknownWhereItIsNoNumber) {
  EXPECT_EQ(size({"-Nmany", "-n", "99999999999"}), StepSize{});
  EXPECT_EQ(size({"-N4294967295m"}), StepSize{});
}

TEST(StepSize, SaysWhetherTheNodesThemselvesAreChosen) {
  for (const auto* const option : {"-wn1", "--nodelist=n1", "-xn1", "--exclud=n1", "-Ffile",
                                   "--nodefile=f", "-r1", "--rel=1"}) {
    EXPECT_TRUE(size({option}).chose_nodes) << option;
  }
  EXPECT_FALSE(size({"-N2", "--exclusive"}).chose_nodes);
}

TEST(StepSize, SaysWhetherOtherNodesArePossible) {
  EXPECT_TRUE(size({"-m", "arbitrary", "-w", "n1"}).arbitrary);
  EXPECT_TRUE(size({"--distribution=Arb"}).arbitrary);
  EXPECT_TRUE(size({}, {{"SLURM_DISTRIBUTION", "arbitrary"}}).arbitrary);
  EXPECT_TRUE(size({}, {{"SLURM_HOSTFILE", "hosts"}}).arbitrary);
  EXPECT_FALSE(size({"-w", "n1"}, {{"SLURM_HOSTFILE", "hosts"}}).arbitrary);
  EXPECT_FALSE(size({"-m", "block:cyclic"}, {{"SLURM_DISTRIBUTION", "arbitrary"}}).arbitrary);
  EXPECT_FALSE(size({"-m", "*"}).arbitrary);
}

Words placed(const Words& options, bool beside_old_step = false,
             const Environment& environment = {}) {
  const auto changed =
      on_nodes(command(options), environment, {{"n1", "n2", "n4"}, 2, beside_old_step});
  EXPECT_EQ(Words(changed.words.end() - 3, changed.words.end()),
            (Words{"./train", "-N9", "--nodes=9"}));
  EXPECT_EQ(changed.words.at(changed.program), "./train");
  return {changed.words.begin() + 1, changed.words.end() - 3};
}

const Words here{"--nodes=3", "--nodelist=n[1-2,4]", "--ntasks=6", "--ntasks-per-node=2"};

Words before_here(Words words, const Words& after = {}) {
  words.insert(words.end(), here.begin(), here.end());
  words.insert(words.end(), after.begin(), after.end());
  return words;
}

TEST(StepOnNodes, IsTheSameStepOnThese) {
  EXPECT_EQ(placed({}), here);
  EXPECT_EQ(placed({"--distributed=torch", "-c", "4", "-m", "cyclic", "-o", "-n9"}),
            before_here({"--distributed=torch", "-c", "4", "-m", "cyclic", "-o", "-n9"}));
}

TEST(StepOnNodes, LosesWhatWouldContradict) {
  EXPECT_EQ(placed({"-lN4", "-n16", "-w", "n3", "--exclude=n1", "-F", "f", "--relative", "1",
                    "--tasks-per-node", "4", "-u"}),
            before_here({"-l", "-u"}));
}

TEST(StepOnNodes, KeepsACountForEachGpuAlone) {
  auto words = before_here({"--ntasks-per-gpu=1"});
  words.pop_back();
  EXPECT_EQ(placed({"--ntasks-per-gpu=1"}), words);
}

TEST(StepOnNodes, KeepsACountForEachGpuOfTheEnvironmentAlone) {
  auto words = here;
  words.pop_back();
  EXPECT_EQ(placed({}, false, {{"SLURM_NTASKS_PER_GPU", "1"}}), words);
}

TEST(StepOnNodes, HasAsManyGpusOnEach) {
  EXPECT_EQ(placed({"-N4", "-G16"}), before_here({"-G16"}, {"--gpus=12"}));
  const Environment job{{"SLURM_GPUS", "a100:10"}, {"SLURM_JOB_NUM_NODES", "5"}};
  EXPECT_EQ(placed({}, false, job), before_here({}, {"--gpus=a100:6"}));
  EXPECT_EQ(placed({"-N4"}, false, job), before_here({}, {"--gpus=a100:6"}));
  EXPECT_EQ(placed({"-N4", "-G15"}), before_here({"-G15"}));
}

TEST(StepOnNodes, DoesWithoutPortsWhereOtherStepsHoldThem) {
  const auto words = [](const Words& options) {
    const auto changed = on_nodes(command(options), {}, {.names = {"n1"}, .without_ports = true});
    return Words(changed.words.begin() + 1, changed.words.end() - 3);
  };
  const Words alone{"--nodes=1", "--nodelist=n1", "--ntasks=1", "--ntasks-per-node=1"};
  auto without = alone;
  without.emplace_back("--resv-ports=0");
  EXPECT_EQ(words({}), without);
  auto with = alone;
  with.insert(with.begin(), "--resv-ports=4");
  EXPECT_EQ(words({"--resv-ports=4"}), with);
}

TEST(StepOnNodes, SharesThemWithAnOldStepWhereItMust) {
  EXPECT_EQ(placed({"--exact"}, true), before_here({"--exact"}, {"--overlap"}));
  EXPECT_EQ(placed({"--exclusive"}, true), before_here({}, {"--exact", "--overlap"}));
  EXPECT_EQ(placed({"--exclusive=user"}, true), before_here({}, {"--overlap"}));
  EXPECT_EQ(placed({"--overlap"}, true), before_here({}, {"--overlap"}));
  EXPECT_EQ(placed({"--exclusive"}), before_here({"--exclusive"}));
}

TEST(StepOnNodes, FindsTheProgramByItself) {
  const auto changed = on_nodes({{"srun", "-N2", "--", "-p"}, 0}, {}, {{"n1"}, 1, false});
  EXPECT_EQ(changed.words, (Words{"srun", "--nodes=1", "--nodelist=n1", "--ntasks=1",
                                  "--ntasks-per-node=1", "--", "-p"}));
  EXPECT_EQ(changed.program, 6U);
}

}  // namespace
}  // namespace muster::srun
