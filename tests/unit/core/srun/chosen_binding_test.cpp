#include "core/srun/chosen_binding.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using Names = std::vector<std::string>;

const Names cpu_variables{"SLURM_CPU_BIND", "SLURM_CPU_BIND_VERBOSE", "SLURM_CPU_BIND_TYPE",
                          "SLURM_CPU_BIND_LIST"};

// As Slurm writes them for a task.
Environment task(const std::string& type, const std::string& list) {
  return {{"SLURM_CPU_BIND", "quiet," + type + list},
          {"SLURM_CPU_BIND_VERBOSE", "quiet"},
          {"SLURM_CPU_BIND_TYPE", type},
          {"SLURM_CPU_BIND_LIST", list}};
}

Environment with(Environment environment, const std::string& name, const std::string& value) {
  environment.set(name, value);
  return environment;
}

TEST(InheritedBinding, IsWhatSlurmWroteForATask) {
  EXPECT_EQ(inherited_binding(task("mask_cpu:", "0x1,0x2")), cpu_variables);
  EXPECT_EQ(inherited_binding(task("none", "")), cpu_variables);
  EXPECT_EQ(inherited_binding({{"SLURM_CPU_BIND", "verbose"},
                               {"SLURM_CPU_BIND_VERBOSE", "verbose"},
                               {"SLURM_CPU_BIND_TYPE", ""},
                               {"SLURM_CPU_BIND_LIST", ""}}),
            cpu_variables);
  EXPECT_EQ(inherited_binding({}), Names{});
}

TEST(InheritedBinding, IsNotWhatTheUserExports) {
  for (const std::string value : {"cores", "quiet,mask_cpu:0x3", ""}) {
    EXPECT_EQ(inherited_binding({{"SLURM_CPU_BIND", value}}), Names{}) << value;
    const auto exported =
        inherited_binding(with(task("mask_cpu:", "0x1"), "SLURM_CPU_BIND", value));
    EXPECT_EQ(exported, Names(cpu_variables.begin() + 1, cpu_variables.end())) << value;
  }
}

// A node would otherwise take SLURM_CPU_BIND_TYPE for this srun's.
TEST(InheritedBinding, IncludesWhatIsLeftAfterTheUserHasUnsetTheValue) {
  auto environment = task("mask_cpu:", "0x1");
  environment.unset("SLURM_CPU_BIND");
  EXPECT_EQ(inherited_binding(environment), Names(cpu_variables.begin() + 1, cpu_variables.end()));
}

TEST(InheritedBinding, IncludesThatOfMemory) {
  const Environment preferred{{"SLURM_MEM_BIND", "quiet,prefer,map_mem:0,1"},
                              {"SLURM_MEM_BIND_VERBOSE", "quiet"},
                              {"SLURM_MEM_BIND_PREFER", "prefer"},
                              {"SLURM_MEM_BIND_TYPE", "map_mem:"},
                              {"SLURM_MEM_BIND_LIST", "0,1"}};
  EXPECT_EQ(inherited_binding(preferred).size(), 5U);
  EXPECT_EQ(inherited_binding(preferred).front(), "SLURM_MEM_BIND");
  // salloc --mem-bind=local exports this for all steps of the job.
  EXPECT_EQ(inherited_binding({{"SLURM_MEM_BIND", "local"}}), Names{});
}

bool chose(Names options, const Environment& environment = {}) {
  options.insert(options.begin(), "srun");
  const auto program = options.size();
  options.emplace_back("./train");
  return chose_cpu_bind(environment, {options, program});
}

TEST(ChoseCpuBind, IsTrueForTheOptionAndItsVariable) {
  EXPECT_TRUE(chose({"--cpu-bind=cores"}));
  EXPECT_TRUE(chose({"--cpu_bind", "none"}));
  EXPECT_TRUE(chose({"--cpu-bind=verbose,map_cpu:0,1"}));
  EXPECT_TRUE(chose({}, {{"SLURM_CPU_BIND", "cores"}}));
  EXPECT_TRUE(chose({"--threads-per-core=1"}, {{"SLURM_CPU_BIND", "cores"}}));
  EXPECT_TRUE(chose({"-n1", ":", "--cpu-bind=cores", "-n1"}));
}

TEST(ChoseCpuBind, IsFalseForOptionsThatImplyABinding) {
  for (const std::string option :
       {"--threads-per-core=1", "--hint=nomultithread", "-B1:1:1", "--extra-node-info=1:1:1",
        "--ntasks-per-core=1", "--ntasks-per-socket=4", "--cpu-bind=verbose", "--cpu-bind=Quiet"}) {
    EXPECT_FALSE(chose({option})) << option;
  }
  EXPECT_FALSE(chose({}, {{"SLURM_THREADS_PER_CORE", "1"}}));
  EXPECT_FALSE(chose({"--hint=nomultithread"}, {{"SLURM_CPU_BIND", "cores"}}));
}

TEST(ChoseCpuBind, IsFalseForAnInheritedBindingUnlessTheLineHasOne) {
  EXPECT_FALSE(chose({}, task("mask_cpu:", "0x1")));
  EXPECT_TRUE(chose({"--cpu-bind=cores"}, task("mask_cpu:", "0x1")));
  EXPECT_TRUE(chose({}, with(task("mask_cpu:", "0x1"), "SLURM_CPU_BIND", "cores")));
}

}  // namespace
}  // namespace muster::srun
