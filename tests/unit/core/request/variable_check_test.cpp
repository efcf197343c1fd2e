#include "core/request/variable_check.hpp"

#include "core/error.hpp"
#include "core/site/config.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::request {
namespace {

option::VariablePolicy policy(const std::string& text) {
  return site::parse_config("policy:\n  variables:\n" + text, "/etc/muster/muster.yaml",
                            site::ConfigKind::site)
      .policy.variables;
}

std::string check_refusal(const std::string& text, const Environment& environment,
                          const std::vector<EnvVar>& of_files = {}) {
  const auto rules = policy(text);
  try {
    check_variables(rules, set_by_user(rules, environment, of_files));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

EnvVar in_file(std::string name, std::string value) {
  EnvVar variable{std::move(name), std::move(value), Origin::user};
  variable.where = "/home/alice/.nccl.conf:3";
  return variable;
}

EnvVar set(std::string name, std::string value) {
  return {std::move(name), std::move(value), Origin::profile};
}

std::string kept(const std::string& text, std::vector<EnvVar> variables) {
  keep_policy(policy(text), variables);
  std::string all;
  for (const auto& one : variables) all += one.name + "=" + one.value + " ";
  return all;
}

TEST(VariableCheck, RefusesAForbiddenVariableAndNamesTheLine) {
  EXPECT_EQ(check_refusal("    forbid: [NCCL_P2P_DISABLE]\n", {{"NCCL_P2P_DISABLE", "1"}}),
            "NCCL_P2P_DISABLE=1: the site's policy forbids this variable "
            "(/etc/muster/muster.yaml:3:14); unset it");
  EXPECT_EQ(check_refusal("    forbid: [NCCL_P2P_DISABLE]\n", {{"NCCL_P2P_LEVEL", "1"}}), "");
}

TEST(VariableCheck, RefusesAForbiddenValueOnly) {
  const std::string text = "    forbid: [NCCL_DEBUG=TRACE]\n";
  EXPECT_EQ(check_refusal(text, {{"NCCL_DEBUG", "TRACE"}}),
            "NCCL_DEBUG=TRACE: the site's policy forbids this value "
            "(/etc/muster/muster.yaml:3:14); choose another value");
  EXPECT_EQ(check_refusal(text, {{"NCCL_DEBUG", "INFO"}}), "");
  EXPECT_NE(check_refusal("    forbid: [NCCL_DEBUG=]\n", {{"NCCL_DEBUG", ""}}), "");
}

TEST(VariableCheck, RefusesAnotherThanTheFixedValue) {
  const std::string text = "    fix: {NCCL_IB_TC: 106}\n";
  EXPECT_EQ(check_refusal(text, {{"NCCL_IB_TC", "0"}}),
            "NCCL_IB_TC=0: the site's policy fixes NCCL_IB_TC=106 (/etc/muster/muster.yaml:3:11); "
            "unset NCCL_IB_TC");
  EXPECT_EQ(check_refusal(text, {{"NCCL_IB_TC", "106"}}), "");
  EXPECT_EQ(check_refusal(text, {}), "");
}

TEST(VariableCheck, RefusesANumberBeyondItsBoundAndWhatIsNoNumber) {
  const std::string text = "    min: {NCCL_X: -2}\n    max: {NCCL_X: 8}\n";
  EXPECT_EQ(check_refusal(text, {{"NCCL_X", "9"}}),
            "NCCL_X=9: the site's policy allows at most 8 (/etc/muster/muster.yaml:4:11); choose "
            "another value");
  EXPECT_NE(check_refusal(text, {{"NCCL_X", "-3"}}).find("at least -2"), std::string::npos);
  EXPECT_NE(check_refusal(text, {{"NCCL_X", "8 "}}).find("at most 8"), std::string::npos);
  EXPECT_EQ(check_refusal(text, {{"NCCL_X", "8"}}), "");
  EXPECT_EQ(check_refusal(text, {{"NCCL_X", "-2"}}), "");
}

TEST(VariableCheck, LooksIntoTheUsersFilesWhereTheEnvironmentSaysNothing) {
  const std::string text = "    forbid: [NCCL_P2P_DISABLE=1]\n";
  const std::vector<EnvVar> files{in_file("NCCL_P2P_DISABLE", "1")};
  EXPECT_EQ(check_refusal(text, {}, files).substr(0, 46),
            "/home/alice/.nccl.conf:3: NCCL_P2P_DISABLE=1: ");
  EXPECT_EQ(check_refusal(text, {{"NCCL_P2P_DISABLE", "0"}}, files), "");
  EXPECT_EQ(check_refusal("    fix: {NCCL_P2P_DISABLE: 0}\n", {}, files), "");
}

TEST(VariableCheck, ShowsForeignBytesHarmlessly) {
  EXPECT_EQ(check_refusal("    forbid: [NCCL_A]\n", {{"NCCL_A", "\033[2J"}}).find('\033'),
            std::string::npos);
}

TEST(VariableCheck, LeavesForbiddenVariablesOfProfilesOut) {
  EXPECT_EQ(kept("    forbid: [A, B=1]\n", {set("A", "0"), set("B", "1"), set("C", "2")}), "C=2 ");
  EXPECT_EQ(kept("    forbid: [B=1]\n", {set("B", "2")}), "B=2 ");
}

TEST(VariableCheck, MovesNumbersOfProfilesToTheirBound) {
  EXPECT_EQ(
      kept("    min: {A: 2}\n    max: {B: 4}\n", {set("A", "1"), set("B", "9"), set("C", "9")}),
      "A=2 B=4 C=9 ");
}

TEST(VariableCheck, AddsFixedValuesOnceAndSaysWhereTheyAreFrom) {
  std::vector<EnvVar> variables{set("A", "1"), set("B", "2")};
  keep_policy(policy("    fix: {A: 7, D: x}\n"), variables);
  ASSERT_EQ(variables.size(), 3U);
  EXPECT_EQ(variables[0].name, "B");
  EXPECT_EQ(variables[1].name + variables[1].value, "A7");
  EXPECT_EQ(variables[1].origin, Origin::site);
  EXPECT_EQ(variables[1].where, "/etc/muster/muster.yaml:3:11");
  EXPECT_EQ(variables[2].name + variables[2].value, "Dx");
}

TEST(VariableCheck, DoesNotTouchWhatTheUserHasSet) {
  std::vector<EnvVar> variables{{"A", "1", Origin::user, false, true}};
  keep_policy(policy("    max: {A: 0}\n    forbid: [A=1]\n"), variables);
  ASSERT_EQ(variables.size(), 1U);
  EXPECT_EQ(variables.front().value, "1");
}

}  // namespace
}  // namespace muster::request
