#include "launcher/slurm/srun_environment.hpp"

#include "core/contains.hpp"
#include "core/profile/profile.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

std::optional<std::string> set(const EnvironmentChange& change, const std::string& name) {
  for (const auto& [key, value] : change.set) {
    if (key == name) return value;
  }
  return std::nullopt;
}

TEST(SrunEnvironment, CarriesTheAttempt) {
  const step::StepRequest attempt{.request = {}, .number = 2, .key = secret::make_key()};
  const auto change = srun_environment({}, attempt, true);
  EXPECT_EQ(set(change, wire::request_variable), to_text(attempt));
}

TEST(SrunEnvironment, SwitchesPmixOnUnlessTheUserChoseOrSlurmHasNone) {
  EXPECT_EQ(set(srun_environment({}, {}, true), "SLURM_MPI_TYPE"), "pmix");
  EXPECT_EQ(set(srun_environment({}, {}, false), "SLURM_MPI_TYPE"), std::nullopt);
  EXPECT_EQ(set(srun_environment({{"SLURM_MPI_TYPE", "none"}}, {}, true), "SLURM_MPI_TYPE"),
            std::nullopt);
}

// The attempt before it may have had PMIx.
TEST(SrunEnvironment, TakesPmixBackWhereAnAttemptHasNone) {
  EXPECT_TRUE(contains(srun_environment({}, {}, false).unset, std::string("SLURM_MPI_TYPE")));
  EXPECT_FALSE(contains(srun_environment({{"SLURM_MPI_TYPE", "none"}}, {}, false).unset,
                        std::string("SLURM_MPI_TYPE")));
}

TEST(SrunEnvironment, TakesBackWhatMusterSetForATaskAbove) {
  const auto change =
      srun_environment({{wire::set_variable, "RANK  MASTER_PORT "}, {"RANK", "3"}}, {}, true);
  EXPECT_EQ(change.unset,
            (std::vector<std::string>{
                "RANK", "MASTER_PORT", wire::set_variable, wire::planned_variable,
                wire::numbering_variable, wire::task_variable, wire::exchange_variable,
                wire::exchange_key_variable, wire::times_variable, wire::rank_directory_variable}));
  EXPECT_TRUE(srun_environment({{"RANK", "3"}}, {}, true).unset.empty());
}

TEST(SrunEnvironment, TakesBackWhatSlurmSetForATaskAbove) {
  const Environment task{{"SLURM_CPU_BIND", "quiet,mask_cpu:0x1"},
                         {"SLURM_CPU_BIND_VERBOSE", "quiet"},
                         {"SLURM_CPU_BIND_TYPE", "mask_cpu:"},
                         {"SLURM_CPU_BIND_LIST", "0x1"}};
  EXPECT_EQ(srun_environment(task, {}, true).unset.size(), task.size());
  EXPECT_TRUE(srun_environment({{"SLURM_CPU_BIND", "cores"}}, {}, true).unset.empty());
}

TEST(PlaceholdersForNodes, MarkWhoATaskIsButNeverWhatSrunReadsItself) {
  profile::Profile profile;
  for (const std::string name : {"RANK", "SLURM_NTASKS_PER_NODE"}) {
    profile.environment.push_back({name, profile::Template::parse("{rank}", "a test")});
  }
  const auto change = placeholders_for_nodes({}, profile);
  EXPECT_EQ(set(change, "RANK"), step::missing_plugin);
  EXPECT_EQ(set(change, "SLURM_NTASKS_PER_NODE"), std::nullopt);
}

srun::Command srun_with(std::vector<std::string> options) {
  options.insert(options.begin(), "srun");
  const auto program = options.size();
  options.emplace_back("./train");
  return {options, program};
}

TEST(ChoseMpi, IsTrueForTheOptionAndItsVariable) {
  EXPECT_TRUE(chose_mpi({}, srun_with({"-n2", "--mpi=none"})));
  EXPECT_TRUE(chose_mpi({}, srun_with({"--mpi", "pmi2"})));
  EXPECT_TRUE(chose_mpi({{"SLURM_MPI_TYPE", "pmi2"}}, srun_with({})));
  EXPECT_FALSE(chose_mpi({}, srun_with({"-n2", "-N2"})));
}

TEST(ChoseMpi, IsNotMistakenByAnotherOptionThatBeginsTheSame) {
  EXPECT_FALSE(chose_mpi({}, srun_with({"--mpi-combine=yes"})));
  EXPECT_FALSE(chose_mpi({}, srun_with({"-J", "--mpi=none"})));
}

TEST(ApplyEnvironment, SetsAndUnsets) {
  setenv("MUSTER_TEST_OLD", "1", 1);
  apply({{{"MUSTER_TEST_NEW", "2"}}, {"MUSTER_TEST_OLD"}});
  EXPECT_EQ(std::getenv("MUSTER_TEST_OLD"), nullptr);
  EXPECT_STREQ(std::getenv("MUSTER_TEST_NEW"), "2");
  unsetenv("MUSTER_TEST_NEW");
}

TEST(Hint, IsSrunsOwnOption) {
  EXPECT_EQ(hint(srun_with({"-n2", "--hint=nomultithread"})), "nomultithread");
  EXPECT_EQ(hint(srun_with({"--hint", "compute_bound", "-n2"})), "compute_bound");
  EXPECT_EQ(hint(srun_with({"--hin=nomultithread"})), "nomultithread");
  EXPECT_EQ(hint(srun_with({"-n2", "--hints=1"})), "");
  EXPECT_EQ(hint(srun_with({"--comment", "--hint=nomultithread"})), "");
  EXPECT_EQ(hint(srun_with({"--hint=" + std::string(1000, 'x')})).size(), 256U);
}

}  // namespace
}  // namespace muster::slurm
