#include "core/site/variable_rules.hpp"

#include "core/fabric/fabric.hpp"
#include "core/file/yaml.hpp"
#include "core/site/config.hpp"
#include "core/site/variable_names.hpp"
#include "fixtures/expect_error.hpp"

#include <gtest/gtest.h>

namespace muster::site {
namespace {

using fabric::Fabric;

std::vector<VariableRule> rules_of(const std::string& text) {
  return parse_config("variables:\n" + text, "f", ConfigKind::site).variables;
}

VariableFacts facts() {
  return {.rule = {.partition = "gpu",
                   .account = "physics",
                   .features = "ib,big",
                   .step_nodes = 2,
                   .node = "node7",
                   .is_in_group = [](const std::string& group) { return group == "staff"; },
                   .gpus = [] { return std::vector<std::string>{"NVIDIA H100 80GB HBM3"}; },
                   .fabric = [] { return Fabric::slingshot; }},
          .exists = [](const std::string& path) { return path == "/dev/kdreg2"; },
          .is_set = [](const std::string& name) { return name == "NCCL_NET"; }};
}

// What all rules together set.
std::string set_by(const std::string& text, const VariableFacts& known = facts()) {
  const auto rules = rules_of(text);
  std::vector<SiteVariable> variables;
  for (const auto* const rule : matching_rules(rules, known)) add_new(variables, rule->set);
  std::string all;
  for (const auto& one : variables) all += one.name + "=" + one.value + " ";
  return all;
}

TEST(VariableRules, SetWhatTheySayWithItsPlace) {
  const auto rules = rules_of("  - fabric: slingshot\n    set: {A: 1, B: \"two words\"}\n");
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(rules[0].set,
            (std::vector<SiteVariable>{{"A", "1", "f:3:11"}, {"B", "two words", "f:3:17"}}));
  EXPECT_EQ(rules[0].conditions.fabrics, std::vector{Fabric::slingshot});
}

TEST(VariableRules, HoldWhereEachOfTheirConditionsHolds) {
  for (const auto* const condition :
       {"partition: g*", "account: phys*", "nodes: node[1-9]", "nodes: [other, node*]",
        "feature: ib", "gpu: '*H100*'", "fabric: slingshot", "fabric: [efa, slingshot]",
        "exists: /dev/kdreg2", "group: staff", "min_nodes: 2", "unless: [NCCL_PROTO]"}) {
    EXPECT_EQ(set_by(std::string("  - ") + condition + "\n    set: {A: 1}\n"), "A=1 ") << condition;
  }
  for (const auto* const condition :
       {"partition: cpu", "account: x", "nodes: node1", "feature: roce", "gpu: '*A100*'",
        "fabric: efa", "exists: /dev/other", "group: students", "min_nodes: 3",
        "unless: [NCCL_NET]"}) {
    EXPECT_EQ(set_by(std::string("  - ") + condition + "\n    set: {A: 1}\n"), "") << condition;
  }
}

TEST(VariableRules, AreAskedOnlyWhatTheyNeed) {
  auto known = facts();
  known.rule.fabric = []() -> Fabric { throw std::runtime_error("asked"); };
  EXPECT_EQ(set_by("  - {partition: cpu, fabric: efa, set: {A: 1}}\n  - set: {B: 2}\n", known),
            "B=2 ");
}

TEST(VariableRules, GiveEachVariableTheFirstValue) {
  EXPECT_EQ(set_by("  - {exists: /dev/kdreg2, set: {A: first}}\n  - set: {A: second, B: 2}\n"),
            "A=first B=2 ");
}

TEST(VariableRules, TakeFromAScriptWhatTheyCouldSet) {
  const auto rules = rules_of("  - script: /opt/profile.sh\n");
  const auto taken = variables_of_script(
      {{"NCCL_NET", "gIB"}, {"PATH", "/opt"}, {"LD_PRELOAD", "x"}, {"RANK", "1"}, {"A", "1\n2"}},
      rules[0]);
  EXPECT_EQ(taken, (std::vector<SiteVariable>{{"NCCL_NET", "gIB", "f:2:5, by /opt/profile.sh"}}));
}

TEST(VariableRules, RefuseVariablesThatAreNotTheirs) {
  for (const auto* const name :
       {"LD_PRELOAD", "PATH", "SLURM_JOB_ID", "MUSTER_BIND", "RANK", "LOCAL_RANK", "MASTER_ADDR",
        "PET_RDZV_ID", "CUDA_VISIBLE_DEVICES", "PYTHONPATH", "BASH_ENV", "A-B", "1A", ""}) {
    EXPECT_TRUE(refusal_of_name(name)) << name;
  }
  for (const auto* const name :
       {"NCCL_NET", "FI_PROVIDER", "OMP_NUM_THREADS", "PMIX_MCA_gds", "UCX_TLS"})
    EXPECT_FALSE(refusal_of_name(name)) << name;
  EXPECT_TRUE(refusal_of_value(std::string(max_variable_value + 1, 'a')));
  EXPECT_TRUE(refusal_of_value("a\nb"));
  EXPECT_FALSE(refusal_of_value(std::string(max_variable_value, 'a')));
}

TEST(VariableRules, AreLintedEachByItselfWithItsPlace) {
  EXPECT_EQ(
      lint_of(rules_of("  - set: {NCCL_IB_RETRY_CNT: 15}\n  - {fabric: efa, set: {A: 1}}\n"
                       "  - {fabric: azure, set: {NCCL_IB_PCI_RELAXED_ORDERING: 1}}\n")),
      std::vector<std::string>{"NCCL_IB_RETRY_CNT=15 (f:2:11): the field has three bits: 0 to 7; "
                               "NCCL_IB_RETRY_CNT=7, or unset it"});
}

TEST(VariableRules, AreRefusedWithTheirPlace) {
  const auto error = [](const std::string& text, const std::string& what) {
    fixtures::expect_error([&] { rules_of(text); }, what);
  };
  error(
      "  - set: {RANK: 1}\n",
      "f:2:11: 'RANK' cannot be set by a variable rule: it differs from rank to rank, and muster sets it; "
      "remove it");
  error("  - set: {A: }\n", "f:2:11: A without a value: write one, or \"\" for an empty one");
  error("  - fabric: infiniban\n    set: {A: 1}\n",
        "f:2:13: fabric 'infiniban': not known; did you mean 'infiniband'?");
  error("  - fabric: efa\n",
        "f:2:5: a rule that sets nothing: add 'set: {NAME: value}' or 'script: /path'");
  error(
      "  - script: profile.sh\n",
      "f:2:13: 'profile.sh': a relative path may mean a different place on each node; use an absolute path");
  error("  - {min_nodes: 0, set: {A: 1}}\n",
        "f:2:17: min_nodes '0': not a number of nodes; use 1 or more");
  error("  - {fabrik: efa, set: {A: 1}}\n",
        "f:2:6: unknown key 'fabrik': not part of a variable rule; did you mean 'fabric'?");
}

}  // namespace
}  // namespace muster::site
