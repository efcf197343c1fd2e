#include "core/site/network_rules.hpp"

#include "core/file/yaml.hpp"
#include "fixtures/expect_error.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::site {
namespace {

std::vector<NetworkRule> network_rules(const std::string& text) {
  return parse_network_rules(file::Yaml::parse(text, "m.yaml"));
}

RuleFacts job_on(const std::string& partition, const std::string& features) {
  return {.partition = partition, .features = features};
}

std::string network_error(const std::string& text) {
  return fixtures::error_of([&] { network_rules(text); });
}

const char* const two_rules =
    "- partition: gpu*\n"
    "  interfaces: [hsn*]\n"
    "- feature: ib\n"
    "  interfaces: [ib0, eth*]\n";

TEST(NetworkRules, AreReadWithTheirPlaces) {
  const auto read = network_rules(two_rules);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0], (NetworkRule{{.partition = "gpu*"}, {"hsn*", Origin::site, "m.yaml:2:15"}}));
  EXPECT_EQ(read[1], (NetworkRule{{.feature = "ib"}, {"ib0+eth*", Origin::site, "m.yaml:4:15"}}));
}

TEST(NetworkRules, HoldForThePartitionOrTheFeatureOfTheJob) {
  const auto read = network_rules(two_rules);
  EXPECT_EQ(matching_rule(read, job_on("gpu-long", "")), &read[0]);
  EXPECT_EQ(matching_rule(read, job_on("cpu", "big,ib,amd")), &read[1]);
  EXPECT_EQ(matching_rule(read, job_on("cpu", "ib2,bib")), nullptr);
  EXPECT_EQ(matching_rule(read, job_on("", "")), nullptr);
  EXPECT_EQ(matching_rule({}, job_on("gpu", "ib")), nullptr);
}

TEST(NetworkRules, AreTakenInTheirOrder) {
  const auto read = network_rules(two_rules);
  EXPECT_EQ(matching_rule(read, job_on("gpu", "ib")), &read[0]);
}

TEST(NetworkRules, WithBothConditionsNeedBoth) {
  const auto read = network_rules("- {partition: gpu, feature: ib*, interfaces: ib0}");
  EXPECT_EQ(matching_rule(read, job_on("gpu", "ib2")), &read[0]);
  EXPECT_EQ(matching_rule(read, job_on("gpu", "eth")), nullptr);
  EXPECT_EQ(matching_rule(read, job_on("cpu", "ib2")), nullptr);
}

TEST(NetworkRules, MayAskForTheAccountAndTheGroup) {
  const auto read = network_rules("- {account: phys*, group: staff, interfaces: ib0}");
  auto facts = job_on("gpu", "");
  facts.account = "physics";
  EXPECT_EQ(matching_rule(read, facts), nullptr);
  facts.is_in_group = [](const std::string& group) { return group == "staff"; };
  EXPECT_EQ(matching_rule(read, facts), &read[0]);
}

TEST(NetworkRules, NameLineAndColumnOfAMistake) {
  EXPECT_EQ(network_error("- partiton: gpu\n  interfaces: [ib0]\n"),
            "m.yaml:1:3: unknown key 'partiton': not part of a network rule; did you mean "
            "'partition'?");
  EXPECT_TRUE(
      network_error("- partition: gpu\n").starts_with("m.yaml:1:3: a rule without interfaces"));
  EXPECT_TRUE(
      network_error("- interfaces: [ib0]\n").starts_with("m.yaml:1:3: a rule without conditions"));
  EXPECT_TRUE(
      network_error("- {partition: '', interfaces: ib0}").starts_with("m.yaml:1:15: an empty"));
  EXPECT_TRUE(
      network_error("- {partition: a, interfaces: [ib0, auto]}").starts_with("m.yaml:1:36: "));
  EXPECT_TRUE(network_error("- {partition: a, interfaces: ['i b']}").starts_with("m.yaml:1:31: "));
  EXPECT_TRUE(network_error("- {partition: a, interfaces: [a+b]}").starts_with("m.yaml:1:31: "));
  EXPECT_NE(network_error("partition: gpu\n"), "");
}

}  // namespace
}  // namespace muster::site
