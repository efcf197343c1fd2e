#include "launcher/channel/step/exchange_variables.hpp"

#include "wire/variables.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace muster::step {
namespace {

const channel::StepKey key_of_step{1, 2, 3};

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
  EXPECT_EQ(exchange_key_of_step(channel::StepKey{}, "42.0"), "");
}

TEST(ExchangeKeyOfUser, IsTheOneThatTheWorkerLibraryDerives) {
  os::UserSecret secret;
  for (std::size_t i = 0; i < secret.bytes.size(); ++i) {
    secret.bytes[i] = static_cast<unsigned char>(i);
  }
  // BLAKE2b-256 with the key 00 01 ... 1f, computed with Python's hashlib.
  EXPECT_EQ(exchange_key_of_user(secret, "42.0"),
            "4039d0b90c453f7653e23ae0e516e5e203b3e84dc139cdaa3909f947c7277941");
  EXPECT_NE(exchange_key_of_user(secret, "42.0"), exchange_key_of_user(secret, "42.1"));
  EXPECT_NE(exchange_key_of_user(secret, "42.0"), exchange_key_of_user({}, "42.0"));
}

}  // namespace
}  // namespace muster::step
