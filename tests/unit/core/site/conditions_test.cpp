#include "core/site/conditions.hpp"

#include "core/fabric/fabric.hpp"
#include "core/file/yaml.hpp"
#include "core/site/condition_parsing.hpp"
#include "core/site/config.hpp"
#include "fixtures/expect_error.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace muster::site {
namespace {

constexpr std::array<std::string_view, 9> keys{"partition", "account", "feature", "group", "gpu",
                                               "min_nodes", "nodes",   "fabric",  "set"};
constexpr RuleKind every{"a rule", "", keys, 8};

Conditions conditions(const std::string& text) {
  Conditions all;
  for (const auto& entry : file::Yaml::parse(text, "f").entries())
    EXPECT_TRUE(take_condition(all, entry, every)) << entry.key;
  return all;
}

const RuleFacts job{.partition = "gpu",
                    .account = "physics",
                    .features = "ib,big",
                    .step_nodes = 4,
                    .node = "node7",
                    .is_in_group = [](const std::string& group) { return group == "staff"; },
                    .gpus = [] { return std::vector<std::string>{"NVIDIA H100 80GB HBM3"}; },
                    .fabric = [] { return fabric::Fabric::slingshot; }};

TEST(Conditions, HoldEachForItsFact) {
  for (const auto* const text :
       {"{}", "partition: g*", "account: physics", "feature: big", "group: staff", "gpu: '*H100*'",
        "min_nodes: 4", "nodes: node[1-9]", "fabric: [efa, slingshot]"}) {
    EXPECT_TRUE(matches(conditions(text), job)) << text;
  }
  for (const auto* const text :
       {"partition: cpu", "account: chemistry", "feature: roce", "group: students", "gpu: '*A100*'",
        "min_nodes: 5", "nodes: node1", "fabric: efa"}) {
    EXPECT_FALSE(matches(conditions(text), job)) << text;
    EXPECT_FALSE(matches(conditions("{partition: gpu, account: physics}"), RuleFacts{})) << text;
  }
}

TEST(Conditions, DoNotHoldForWhatIsNotKnown) {
  for (const auto* const text : {"partition: '*'", "account: '*'", "feature: '*'", "group: '*'",
                                 "gpu: '*'", "min_nodes: 1", "fabric: ethernet"})
    EXPECT_FALSE(matches(conditions(text), {})) << text;
}

TEST(Conditions, AskTheNodeLast) {
  auto facts = job;
  facts.gpus = []() -> std::vector<std::string> { throw std::runtime_error("asked"); };
  facts.fabric = []() -> fabric::Fabric { throw std::runtime_error("asked"); };
  EXPECT_FALSE(matches(conditions("{fabric: efa, gpu: '*', partition: cpu}"), facts));
  EXPECT_FALSE(matches(conditions("{fabric: efa, gpu: '*', group: students}"), facts));
}

TEST(Conditions, CoverNarrowerOnes) {
  EXPECT_TRUE(covers(conditions("{}"), conditions("gpu: a")));
  EXPECT_TRUE(covers(conditions("min_nodes: 2"), conditions("min_nodes: 4")));
  EXPECT_TRUE(covers(conditions("partition: '*'"), conditions("{partition: a, group: b}")));
  EXPECT_FALSE(covers(conditions("min_nodes: 4"), conditions("min_nodes: 2")));
  for (const auto* const text : {"partition: a", "account: a", "feature: a", "group: a", "gpu: a",
                                 "nodes: a", "fabric: efa", "min_nodes: 1"}) {
    EXPECT_FALSE(covers(conditions(text), {})) << text;
    EXPECT_TRUE(covers(conditions(text), conditions(text))) << text;
  }
}

TEST(Conditions, ThatCannotBeDecidedThereAreNamedWithThoseThatCan) {
  const auto error = [](const std::string& text) {
    return fixtures::error_of(
        [&] { static_cast<void>(parse_config(text, "m.yaml", ConfigKind::site)); });
  };
  EXPECT_EQ(
      error("rules: [{fabric: efa, defaults: {smt: on}}]"),
      "m.yaml:1:10: 'fabric': not a condition of a rule: a job's rules are chosen before its nodes are "
      "examined, and apply to all of them; use partition, account, feature, group, gpu, min_nodes");
  EXPECT_EQ(
      error("networks: [{gpu: a, interfaces: ib0}]"),
      "m.yaml:1:13: 'gpu': not a condition of a network rule: all nodes of a job use the same network; "
      "use partition, account, feature, group");
  EXPECT_EQ(error("rules: [{min_node: 2}]"),
            "m.yaml:1:10: unknown key 'min_node': not part of a rule; did you mean 'min_nodes'?");
}

}  // namespace
}  // namespace muster::site
