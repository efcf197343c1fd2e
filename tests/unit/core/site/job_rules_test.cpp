#include "core/site/job_rules.hpp"

#include "core/option/keys.hpp"
#include "core/site/job_config.hpp"
#include "fixtures/expect_error.hpp"
#include "unit/core/site/site_file.hpp"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace muster::site {
namespace {

std::string default_of(const Config& config, option::Key key) {
  const auto found = config.defaults.values.find(key);
  return found == config.defaults.values.end() ? "" : found->second.value;
}

const RuleFacts debug_job{.partition = "debug", .account = "physics", .features = "ib,a100"};

TEST(JobRules, ApplyToTheJobsThatTheirConditionsName) {
  const auto config = site(
      "defaults: {restarts: 3}\n"
      "rules:\n"
      "  - {partition: deb*, defaults: {restarts: 0, bind: none}}\n"
      "  - {account: chemistry, defaults: {smt: off}}\n"
      "  - {feature: a100, defaults: {gpus: own}}\n");
  const auto mine = for_job(config, debug_job);
  EXPECT_EQ(default_of(mine, option::Key("restarts")), "0");
  EXPECT_EQ(default_of(mine, option::Key("bind")), "none");
  EXPECT_EQ(default_of(mine, option::Key("smt")), "");
  EXPECT_EQ(default_of(mine, option::Key("gpus")), "own");
  EXPECT_EQ(mine.defaults.values.at(option::Key("restarts")).where, "m.yaml:3:44");
  EXPECT_EQ(default_of(for_job(config, {.partition = "long"}), option::Key("restarts")), "3");
}

TEST(JobRules, NeedAllTheirConditions) {
  const auto config =
      site("rules: [{partition: debug, account: chemistry, defaults: {bind: none}}]\n");
  EXPECT_EQ(default_of(for_job(config, debug_job), option::Key("bind")), "");
}

TEST(JobRules, DoNotMatchWhatIsNotKnown) {
  const auto config = site("rules: [{partition: '*', defaults: {bind: none}}]\n");
  EXPECT_EQ(default_of(for_job(config, {}), option::Key("bind")), "");
  EXPECT_EQ(default_of(for_job(config, debug_job), option::Key("bind")), "none");
}

TEST(JobRules, AskForAGroupOnlyIfTheRestMatches) {
  const auto config = site("rules: [{partition: debug, group: admins, defaults: {bind: none}}]\n");
  auto facts = debug_job;
  facts.is_in_group = [](const std::string& group) { return group == "admins"; };
  EXPECT_EQ(default_of(for_job(config, facts), option::Key("bind")), "none");
  facts.partition = "long";
  facts.is_in_group = [](const std::string&) -> bool { throw std::runtime_error("asked"); };
  EXPECT_EQ(default_of(for_job(config, facts), option::Key("bind")), "");
}

TEST(JobRules, GiveTheFirstOneThatSetsAKeyTheLastWord) {
  const auto config = site(
      "policy: {fix: {smt: on}, max: {restarts: 9}, forbid: [port]}\n"
      "rules:\n"
      "  - {partition: debug, policy: {max: {restarts: 1}, forbid: [network]}}\n"
      "  - {partition: '*', policy: {max: {restarts: 5}, fix: {smt: off}, profiles: [torch]}}\n");
  const auto policy = for_job(config, debug_job).policy;
  EXPECT_EQ(policy.max.at(option::Key("restarts")).value, "1");
  EXPECT_EQ(policy.fix.at(option::Key("smt")).value, "off");
  EXPECT_EQ(policy.forbid.size(), 2U);
  ASSERT_TRUE(policy.profiles);
  EXPECT_EQ(policy.profiles->where, "m.yaml:4:78");
}

TEST(JobRules, AreErrorsWithTheirPlaces) {
  const auto error = [](const std::string& text) {
    return fixtures::error_of([&] { site(text); });
  };
  EXPECT_EQ(error("rules: [{partition: a}]"),
            "m.yaml:1:9: a rule that sets nothing; add 'defaults:' or 'policy:'");
  EXPECT_TRUE(error("rules: [{defaults: {bind: none}}]")
                  .starts_with("m.yaml:1:9: a rule without conditions"));
  EXPECT_TRUE(error("rules: [{partiton: a}]").find("did you mean 'partition'") !=
              std::string::npos);
  EXPECT_TRUE(
      error("rules: [{partition: a, defaults: {bindd: none}}]").find("did you mean 'bind'") !=
      std::string::npos);
  EXPECT_TRUE(error("policy: {max: {bind: none}}")
                  .starts_with("m.yaml:1:22: 'bind': a bound must be a number"));
  EXPECT_TRUE(error("policy: {max: {stop: off}}")
                  .starts_with("m.yaml:1:22: 'stop': a bound must be a number"));
  EXPECT_TRUE(
      error("policy: {profiles: []}").starts_with("m.yaml:1:20: an empty list of profiles"));
}

TEST(JobRules, HaveNoPolicyByWhatTheUsersSrunSays) {
  const auto error =
      fixtures::error_of([&] { site("rules: [{feature: ib, policy: {forbid: [port]}}]"); });
  EXPECT_TRUE(error.starts_with("m.yaml:1:9: a policy cannot depend on feature")) << error;
  EXPECT_EQ(
      fixtures::error_of([&] { site("rules: [{min_nodes: 2, policy: {forbid: [port]}}]"); }),
      "m.yaml:1:9: a policy cannot depend on min_nodes: the nodes learn the number of nodes only from the "
      "user's srun; use "
      "partition, account, group or gpu");
  EXPECT_FALSE(needs_signed_job(site("rules: [{gpu: a, policy: {forbid: [port]}}]").rules));
  EXPECT_TRUE(needs_signed_job(site("rules: [{account: a, policy: {forbid: [port]}}]").rules));
  EXPECT_FALSE(needs_signed_job(site("rules: [{group: a, policy: {forbid: [port]}}]").rules));
  EXPECT_FALSE(needs_signed_job(site("rules: [{account: a, defaults: {smt: off}}]").rules));
}

TEST(JobRules, ThatNeverApplyAreNamed) {
  const auto rules = site(
                         "rules:\n"
                         "  - {partition: '*', defaults: {bind: none}}\n"
                         "  - {partition: debug, defaults: {bind: core}}\n"
                         "  - {partition: debug, defaults: {smt: off}}\n")
                         .rules;
  const auto lines = unreachable_rules(rules);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(
      lines[0],
      "m.yaml:3:5: this rule never applies: the one at m.yaml:2:5 comes first and sets the same keys; put "
      "the narrower rule first, or remove this one");
}

}  // namespace
}  // namespace muster::site
