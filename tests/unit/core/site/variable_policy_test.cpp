#include "core/site/variable_policy.hpp"

#include "core/error.hpp"
#include "core/site/config.hpp"
#include "core/site/job_config.hpp"
#include "core/site/show.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::site {
namespace {

Config parse(const std::string& text) {
  return parse_config(text, "site.yaml", ConfigKind::site);
}

std::string fault(const std::string& lines) {
  try {
    static_cast<void>(parse("policy:\n  variables:\n" + lines));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(VariablePolicy, ReadsValuesBoundsAndWhatIsForbidden) {
  const auto policy = parse(
                          "policy:\n  variables:\n    fix: {NCCL_IB_TC: 106}\n    forbid: [NCCL_A, "
                          "NCCL_B=x=y]\n    min: {NCCL_C: 2}\n    max: {NCCL_C: 4}\n")
                          .policy.variables;
  EXPECT_EQ(policy.fix.at("NCCL_IB_TC").value, "106");
  ASSERT_EQ(policy.forbid.size(), 2U);
  EXPECT_EQ(policy.forbid[0].value, std::nullopt);
  EXPECT_EQ(policy.forbid[1].name, "NCCL_B");
  EXPECT_EQ(policy.forbid[1].value, "x=y");
  EXPECT_EQ(policy.forbid[1].where, "site.yaml:4:22");
  EXPECT_EQ(policy.min.at("NCCL_C").number, 2);
  EXPECT_EQ(policy.max.at("NCCL_C").number, 4);
}

TEST(VariablePolicy, NamesTheFaultAndItsPlace) {
  EXPECT_EQ(fault("    fix: {RANK: 0}\n"),
            "site.yaml:3:11: a policy cannot cover 'RANK': it differs from rank to rank, and "
            "muster sets it; remove it");
  EXPECT_EQ(fault("    max: {NCCL_C: many}\n"),
            "site.yaml:3:19: 'many': a bound must be a whole number; for other values, use "
            "fix or forbid");
  EXPECT_NE(fault("    forbid: [LD_PRELOAD]\n").find("a policy cannot cover"), std::string::npos);
  EXPECT_NE(fault("    fix: {A: }\n").find("without a value"), std::string::npos);
  EXPECT_NE(fault("    fixed: {A: 1}\n").find("did you mean 'fix'"), std::string::npos);
}

TEST(VariablePolicy, RefusesWhatContradictsItself) {
  EXPECT_EQ(fault("    fix: {A: 1}\n    forbid: [A]\n"),
            "site.yaml:3:5: 'A' is both fixed and forbidden: keep one of the two");
  EXPECT_EQ(fault("    fix: {A: 1}\n    forbid: [A=2]\n"), "");
  EXPECT_EQ(
      fault("    min: {A: 3}\n    max: {A: 2}\n"),
      "site.yaml:3:5: 'A': min is 3 but max is 2, so no value is allowed; correct one of the two");
}

TEST(VariablePolicy, BoundsTheNumberOfVariables) {
  std::string lines = "    fix:\n";
  for (int i = 0; i < 201; ++i) lines += fmt::format("      A{}: 1\n", i);
  EXPECT_NE(fault(lines).find("more than 200 variables"), std::string::npos);
}

TEST(VariablePolicy, OfARuleReplacesValuesAndAddsWhatIsForbidden) {
  auto config = parse(
      "policy:\n  variables:\n    fix: {A: 1, B: 1}\n    forbid: [C]\nrules:\n  - partition: debug\n"
      "    policy:\n      variables:\n        fix: {A: 2}\n        forbid: [D]\n");
  const auto policy = for_job(std::move(config), {.partition = "debug"}).policy.variables;
  EXPECT_EQ(policy.fix.at("A").value, "2");
  EXPECT_EQ(policy.fix.at("B").value, "1");
  EXPECT_EQ(policy.forbid.size(), 2U);
}

TEST(VariablePolicy, CountsForRulesThatNeverApply) {
  const auto config = parse(
      "rules:\n  - partition: a\n    policy: {variables: {fix: {A: 1}}}\n"
      "  - partition: a\n    policy: {variables: {fix: {A: 2}}}\n"
      "  - partition: a\n    policy: {variables: {fix: {B: 2}}}\n");
  const auto lines = unreachable_rules(config.rules);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines.front().substr(0, 13), "site.yaml:4:5");
}

TEST(VariablePolicy, IsShownAsItIsWritten) {
  const std::string text =
      "policy:\n  variables:\n    fix:\n      A: \"yes\"\n    max:\n      B: 4\n    forbid:\n      - "
      "C=1\n";
  const auto config = parse(text);
  const auto shown = to_yaml(config, false);
  const auto again = parse(shown);
  EXPECT_EQ(again.policy.variables.fix.at("A").value, "yes");
  EXPECT_EQ(again.policy.variables.max.at("B").number, 4);
  EXPECT_EQ(again.policy.variables.forbid.front().value, "1");
  EXPECT_NE(to_yaml(config, true).find("      - C=1                       # site.yaml:8:9"),
            std::string::npos);
  EXPECT_NE(to_json(config).find("\"C=1\""), std::string::npos);
}

}  // namespace
}  // namespace muster::site
