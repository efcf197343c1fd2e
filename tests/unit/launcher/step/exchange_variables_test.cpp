#include "launcher/agent/exchange_variables.hpp"

#include "wire/variables.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

const StepKey key_of_step{1, 2, 3};

std::string value(const std::vector<wire::Assignment>& variables, const std::string& name) {
  const auto found = std::ranges::find(variables, name, &wire::Assignment::name);
  return found == variables.end() ? "" : found->value;
}

std::string key(const StepKey& step_key, const std::string& run_id = "42.0") {
  return value(exchange_variables({"10.0.0.1", 61001}, step_key, run_id),
               wire::exchange_key_variable);
}

TEST(Exchange, SaysWhereTheRanksMeet) {
  EXPECT_EQ(value(exchange_variables({"10.0.0.1", 61001}, key_of_step, "42.0"), "MUSTER_EXCHANGE"),
            "10.0.0.1:61001");
  EXPECT_EQ(value(exchange_variables({"fd00::1", 61001}, key_of_step, "42.0"), "MUSTER_EXCHANGE"),
            "[fd00::1]:61001");
}

TEST(Exchange, HasTheSameKeyOnEveryNodeAndAnotherInEveryAttemptAndStep) {
  EXPECT_EQ(key(key_of_step), key(key_of_step));
  EXPECT_EQ(key(key_of_step).size(), 64U);
  EXPECT_NE(key(key_of_step), key({1, 2, 4}));
  EXPECT_NE(key(key_of_step), key(key_of_step, "42.1"));
}

TEST(Exchange, DoesNotGiveTheStepsOwnKeyToTasks) {
  EXPECT_EQ(key(key_of_step).find("010203"), std::string::npos);
}

TEST(Exchange, HasNoKeyWhereTheStepHasNone) {
  const auto variables = exchange_variables({"10.0.0.1", 61001}, StepKey{}, "42.0");
  EXPECT_EQ(variables.size(), 1U);
}

}  // namespace
}  // namespace muster::agent
