#include "core/site/nic_rules.hpp"

#include "core/file/yaml.hpp"
#include "fixtures/expect_error.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::site {
namespace {

using Names = std::vector<std::string>;

std::vector<NicRule> nic_rules(const std::string& text) {
  return parse_nic_rules(file::Yaml::parse(text, "m.yaml"));
}

std::string nic_error(const std::string& text) {
  return fixtures::error_of([&] { nic_rules(text); });
}

TEST(NicRules, AreOneForAllNodesOrAListByNode) {
  EXPECT_EQ(nic_rules("exclude: [mlx5_4, eth*]"), (std::vector<NicRule>{{{}, {"mlx5_4", "eth*"}}}));
  EXPECT_EQ(
      nic_rules("- exclude: mlx5_4\n  nodes: [dgx*]\n- exclude: [bond0]\n"),
      (std::vector<NicRule>{{{.names = {}, .globs = {"dgx*"}}, {"mlx5_4"}}, {{}, {"bond0"}}}));
  EXPECT_EQ(excluded_nics(nic_rules(""), "a"), Names{});
  EXPECT_EQ(excluded_nics(nic_rules("exclude: []"), "a"), Names{});
}

TEST(NicRules, AddUpWhereSeveralHold) {
  const auto read = nic_rules("- {nodes: 'dgx[1-4]', exclude: mlx5_4}\n- {exclude: bond0}\n");
  EXPECT_EQ(excluded_nics(read, "dgx3"), (Names{"mlx5_4", "bond0"}));
  EXPECT_EQ(excluded_nics(read, "dgx5"), (Names{"bond0"}));
}

TEST(NicRules, NameLineAndColumnOfAMistake) {
  EXPECT_EQ(nic_error("excude: [mlx5_4]\n"),
            "m.yaml:1:1: unknown key 'excude': not part of a NIC rule; did you mean "
            "'exclude'?");
  EXPECT_TRUE(nic_error("exclude: [a, '']").starts_with("m.yaml:1:14: an empty name"));
  EXPECT_TRUE(nic_error("- nodes: [a]\n").starts_with("m.yaml:1:3: a rule that excludes nothing"));
  EXPECT_TRUE(nic_error("- exclude: a\n  nodes: ['b[']\n").starts_with("m.yaml:2:11: "));
  EXPECT_NE(nic_error("mlx5_4"), "");
}

}  // namespace
}  // namespace muster::site
