#include "launcher/channel/step/exchange_variables.hpp"

#include "wire/variables.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace muster::step {
namespace {

const secret::Key key_of_step{1, 2, 3};

std::string value(const std::vector<wire::Assignment>& variables, const std::string& name) {
  const auto found = std::ranges::find(variables, name, &wire::Assignment::name);
  return found == variables.end() ? "" : found->value;
}

TEST(ExchangeVariables, SayWhereTheRanksMeet) {
  EXPECT_EQ(value(exchange_variables({"10.0.0.1", 61001}, "ab"), "MUSTER_EXCHANGE"),
            "10.0.0.1:61001");
  EXPECT_EQ(value(exchange_variables({"fd00::1", 61001}, "ab"), "MUSTER_EXCHANGE"),
            "[fd00::1]:61001");
  EXPECT_EQ(value(exchange_variables({"fd00::1", 61001}, "ab"), "MUSTER_EXCHANGE_KEY"), "ab");
}

TEST(ExchangeVariables, AreNoneWithoutAPlaceAndOneWithoutAKey) {
  EXPECT_TRUE(exchange_variables({"10.0.0.1", 0}, "ab").empty());
  EXPECT_EQ(exchange_variables({"10.0.0.1", 61001}, "").size(), 1U);
}

TEST(ExchangeKeyOfStep, IsTheSameOnEveryNodeAndAnotherInEveryAttemptAndStep) {
  const auto key = exchange_key_of_step(key_of_step, "42.0");
  EXPECT_EQ(key, exchange_key_of_step(key_of_step, "42.0"));
  EXPECT_EQ(key.size(), 64U);
  EXPECT_NE(key, exchange_key_of_step({1, 2, 4}, "42.0"));
  EXPECT_NE(key, exchange_key_of_step(key_of_step, "42.1"));
}

TEST(ExchangeKeyOfStep, DoesNotGiveTheStepsOwnKeyToTasks) {
  EXPECT_EQ(exchange_key_of_step(key_of_step, "42.0").find("010203"), std::string::npos);
}

TEST(ExchangeKeyOfStep, IsNoneWhereTheStepHasNone) {
  EXPECT_EQ(exchange_key_of_step(secret::Key{}, "42.0"), "");
}

TEST(ExchangeKeyOfUser, IsAnotherForEachStepAndUser) {
  const secret::Key secret{1, 2, 3};
  EXPECT_EQ(exchange_key_of_user(secret, "42.0").size(), 64U);
  EXPECT_NE(exchange_key_of_user(secret, "42.0"), exchange_key_of_user(secret, "42.1"));
  EXPECT_NE(exchange_key_of_user(secret, "42.0"), exchange_key_of_user({}, "42.0"));
  EXPECT_NE(exchange_key_of_user(secret, "42.0"), exchange_key_of_step(secret, "42.0"));
}

}  // namespace
}  // namespace muster::step
