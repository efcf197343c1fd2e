#include "core/site/network_rules.hpp"

#include "core/file/yaml.hpp"
#include "fixtures/expect_error.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::site {
namespace {

std::vector<NetworkRule> rules(const std::string& text) {
  return parse_network_rules(file::Yaml::parse(text, "m.yaml"));
}

RuleFacts job(const std::string& partition, const std::string& features) {
  return {.partition = partition, .features = features};
}

std::string error_in(const std::string& text) {
  return fixtures::error_of([&] { rules(text); });
}

const char* const two_rules =
    "- partition: gpu*\n"
    "  interfaces: [hsn*]\n"
    "- feature: ib\n"
    "  interfaces: [ib0, eth*]\n";

TEST(NetworkRules, AreReadWithTheirPlaces) {
  const auto read = rules(two_rules);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0], (NetworkRule{{.partition = "gpu*"}, {"hsn*", Origin::site, "m.yaml:2:15"}}));
  EXPECT_EQ(read[1], (NetworkRule{{.feature = "ib"}, {"ib0+eth*", Origin::site, "m.yaml:4:15"}}));
}

TEST(NetworkRules, HoldForThePartitionOrTheFeatureOfTheJob) {
  const auto read = rules(two_rules);
  EXPECT_EQ(matching_rule(read, job("gpu-long", "")), &read[0]);
  EXPECT_EQ(matching_rule(read, job("cpu", "big,ib,amd")), &read[1]);
  EXPECT_EQ(matching_rule(read, job("cpu", "ib2,bib")), nullptr);
  EXPECT_EQ(matching_rule(read, job("", "")), nullptr);
  EXPECT_EQ(matching_rule({}, job("gpu", "ib")), nullptr);
}

TEST(NetworkRules, AreTakenInTheirOrder) {
  const auto read = rules(two_rules);
  EXPECT_EQ(matching_rule(read, job("gpu", "ib")), &read[0]);
}

TEST(NetworkRules, WithBothConditionsNeedBoth) {
  const auto read = rules("- {partition: gpu, feature: ib*, interfaces: ib0}");
  EXPECT_EQ(matching_rule(read, job("gpu", "ib2")), &read[0]);
  EXPECT_EQ(matching_rule(read, job("gpu", "eth")), nullptr);
  EXPECT_EQ(matching_rule(read, job("cpu", "ib2")), nullptr);
}

TEST(NetworkRules, MayAskForTheAccountAndTheGroup) {
  const auto read = rules("- {account: phys*, group: staff, interfaces: ib0}");
  auto facts = job("gpu", "");
  facts.account = "physics";
  EXPECT_EQ(matching_rule(read, facts), nullptr);
  facts.is_in_group = [](const std::string& group) { return group == "staff"; };
  EXPECT_EQ(matching_rule(read, facts), &read[0]);
}

TEST(NetworkRules, NameLineAndColumnOfAMistake) {
  EXPECT_EQ(error_in("- partiton: gpu\n  interfaces: [ib0]\n"),
            "m.yaml:1:3: unknown key 'partiton': not part of a network rule; did you mean "
            "'partition'?");
  EXPECT_TRUE(error_in("- partition: gpu\n").starts_with("m.yaml:1:3: a rule without interfaces"));
  EXPECT_TRUE(error_in("- interfaces: [ib0]\n").starts_with("m.yaml:1:3: a rule for every job"));
  EXPECT_TRUE(error_in("- {partition: '', interfaces: ib0}").starts_with("m.yaml:1:15: an empty"));
  EXPECT_TRUE(error_in("- {partition: a, interfaces: [ib0, auto]}").starts_with("m.yaml:1:36: "));
  EXPECT_TRUE(error_in("- {partition: a, interfaces: ['i b']}").starts_with("m.yaml:1:31: "));
  EXPECT_TRUE(error_in("- {partition: a, interfaces: [a+b]}").starts_with("m.yaml:1:31: "));
  EXPECT_NE(error_in("partition: gpu\n"), "");
}

}  // namespace
}  // namespace muster::site
