// `topology:` in the site's file.
#include "core/site/config.hpp"
#include "fixtures/expect_error.hpp"

#include <gtest/gtest.h>

namespace muster::site {
namespace {

using fixtures::expect_error;

TopologyRules rules(const std::string& text) {
  return parse_config(text, "muster.yaml", ConfigKind::site).topology;
}

TEST(TopologyRules, AreADefaultWithoutTheKey) {
  EXPECT_EQ(rules(""), TopologyRules{});
  EXPECT_EQ(rules("").cache, "auto");
}

TEST(TopologyRules, NameACacheAndASourceOfGpus) {
  const auto read = rules("topology: {cache: /var/cache/muster, gpus: all}");
  EXPECT_EQ(read.cache, "/var/cache/muster");
  EXPECT_EQ(read.gpus, GpuSource::all);
  EXPECT_EQ(rules("topology: {cache: off}").cache, "off");
}

TEST(TopologyRules, HoldForTheNodesThatTheyName) {
  const auto read = rules(R"(
topology:
  rules:
    - {nodes: "gpu[01-04]", file: /etc/a.xml}
    - {nodes: ["vm*", login1], nccl: /etc/vm.xml}
    - {file: /etc/rest.xml}
)");
  EXPECT_EQ(rule_for(read, "gpu03").file, "/etc/a.xml");
  EXPECT_EQ(rule_for(read, "gpu05").file, "/etc/rest.xml");
  EXPECT_EQ(rule_for(read, "vm-7").nccl, "/etc/vm.xml");
  EXPECT_EQ(rule_for(read, "login1").nccl, "/etc/vm.xml");
  EXPECT_EQ(rule_for(read, "gpu03").nccl, "");
}

TEST(TopologyRules, OfAKeyTheFirstThatHoldsCounts) {
  const auto read = rules(
      "topology: {rules: [{nodes: a, nccl: /1.xml}, {nodes: 'a*', nccl: /2.xml, file: /3.xml}]}");
  EXPECT_EQ(rule_for(read, "a").nccl, "/1.xml");
  EXPECT_EQ(rule_for(read, "a").file, "/3.xml");
  EXPECT_EQ(rule_for(read, "ab").nccl, "/2.xml");
}

TEST(TopologyRules, MapDevicesToCpusAndNics) {
  const auto map = rules(R"(
topology:
  rules:
    - map:
        - {gpu: 0, cpus: 0-3, nics: [mlx5_0, mlx5_1]}
        - {nic: "0000:07:00.0", cpus: "4"}
)")
                       .rules.at(0)
                       .map;
  ASSERT_EQ(map.size(), 2U);
  EXPECT_EQ(map[0].name, "0");
  EXPECT_FALSE(map[0].is_nic);
  EXPECT_EQ(map[0].cpus, CpuSet::range(0, 3));
  EXPECT_EQ(map[0].nics, (std::vector<std::string>{"mlx5_0", "mlx5_1"}));
  EXPECT_TRUE(map[1].is_nic);
  EXPECT_EQ(map[1].where, "muster.yaml:6:17");
}

TEST(TopologyRules, RefuseWhatCannotBeMeant) {
  const auto refuse = [](const std::string& text, const std::string& why) {
    fixtures::expect_error([&] { rules(text); }, why);
  };
  refuse("topology: {cahce: auto}", "did you mean 'cache'?");
  refuse("topology: {cache: here}", "use auto, off or a directory");
  refuse("topology: {gpus: some}", "use gres or all");
  refuse("topology: {rules: [{nodes: a}]}", "a rule that sets nothing");
  refuse("topology: {rules: [{nodes: 'a[1-', file: /a}]}", "muster.yaml:1:");
  refuse("topology: {rules: [{file: a.xml}]}", "use an absolute path");
  refuse("topology: {rules: [{map: [{cpus: 0-3}]}]}", "no device");
  refuse("topology: {rules: [{map: [{gpu: 0}]}]}", "an item that sets nothing for its device");
  refuse("topology: {rules: [{map: [{gpu: 0, nic: a, cpus: 1}]}]}", "a second device");
  refuse("topology: {rules: [{map: [{gpu: 0, cpus: 3-1}]}]}", "muster.yaml:1:");
  refuse("topology: {rules: [{map: [{nic: a, nics: [b]}]}]}", "nics: cannot be set for a NIC");
}

TEST(TopologyRules, AreTheSitesAlone) {
  fixtures::expect_error([] { parse_config("topology: {cache: off}", "c.yaml", ConfigKind::user); },
                         "only the site's file may set this");
}

}  // namespace
}  // namespace muster::site
