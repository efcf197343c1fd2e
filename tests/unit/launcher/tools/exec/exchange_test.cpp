#include "launcher/tools/exec/exchange.hpp"

#include "core/profile/profile.hpp"
#include "core/rendezvous/port_candidates.hpp"
#include "core/request/request.hpp"
#include "core/site/config.hpp"
#include "fixtures/scratch_directory.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace muster::exec {
namespace {

const rendezvous::StepName step{"blue", 42, 3, 0};

std::string value(const Exchange& exchange, const std::string& name) {
  const auto found = std::ranges::find(exchange.variables, name, &wire::Assignment::name);
  return found == exchange.variables.end() ? "" : found->value;
}

profile::Profile profile_of(profile::Mode mode) {
  profile::Profile profile;
  profile.mode = mode;
  return profile;
}

Environment with_home(const fixtures::ScratchDirectory& scratch) {
  return {{"HOME", scratch.path()}};
}

TEST(ExchangePort, IsTheSecondThatEveryNodeForesees) {
  const auto profile = profile_of(profile::Mode::rank);
  const auto port = exchange_port({}, {}, {}, profile, step, 29500);
  EXPECT_NE(port, 0);
  EXPECT_NE(port, 29500);
  EXPECT_EQ(port, exchange_port({}, {}, {}, profile, step, 29500));
  EXPECT_EQ(exchange_port({{"SLURM_STEP_RESV_PORTS", "20001-20003"}}, {}, {}, profile, step, 20001),
            20003);
}

TEST(ExchangePort, IsNoneForTasksThatAreNoRanksOrHaveAPlace) {
  EXPECT_EQ(exchange_port({}, {}, {}, profile_of(profile::Mode::agent), step, 29500), 0);
  EXPECT_EQ(exchange_port({{"MUSTER_EXCHANGE", "10.9.9.9:1234"}}, {}, {},
                          profile_of(profile::Mode::rank), step, 29500),
            0);
}

TEST(Exchange, HasOnePlaceAndOneKeyOnEveryNodeAndAnotherInEveryStep) {
  const fixtures::ScratchDirectory home;
  const auto environment = with_home(home);
  const auto first = exchange(environment, "10.0.0.1", 61001, "42.3");
  EXPECT_EQ(value(first, "MUSTER_EXCHANGE"), "10.0.0.1:61001");
  EXPECT_EQ(value(first, "MUSTER_EXCHANGE_KEY").size(), 64U);
  EXPECT_EQ(first.warning, "");
  const auto again = exchange(environment, "10.0.0.1", 61001, "42.3");
  EXPECT_EQ(value(again, "MUSTER_EXCHANGE_KEY"), value(first, "MUSTER_EXCHANGE_KEY"));
  const auto other = exchange(environment, "10.0.0.1", 61001, "42.4");
  EXPECT_NE(value(other, "MUSTER_EXCHANGE_KEY"), value(first, "MUSTER_EXCHANGE_KEY"));
}

TEST(Exchange, KeepsTheUsersOwnKey) {
  const fixtures::ScratchDirectory home;
  auto own = with_home(home);
  own.set("MUSTER_EXCHANGE_KEY", "mine");
  const auto result = exchange(own, "10.0.0.1", 61001, "42.3");
  EXPECT_EQ(value(result, "MUSTER_EXCHANGE"), "10.0.0.1:61001");
  EXPECT_EQ(value(result, "MUSTER_EXCHANGE_KEY"), "");
  EXPECT_EQ(result.warning, "");
}

TEST(Exchange, GoesOnWithoutAKeyAndSaysWhyWhereTheSecretCannotBe) {
  const auto result = exchange({{"HOME", "not/absolute"}}, "10.0.0.1", 61001, "42.3");
  EXPECT_EQ(value(result, "MUSTER_EXCHANGE"), "10.0.0.1:61001");
  EXPECT_EQ(value(result, "MUSTER_EXCHANGE_KEY"), "");
  EXPECT_NE(result.warning.find("export HOME or MUSTER_SECRET_FILE"), std::string::npos);
}

TEST(Exchange, IsNothingWithoutAPort) {
  const auto result = exchange({}, "10.0.0.1", 0, "42.3");
  EXPECT_TRUE(result.variables.empty());
  EXPECT_EQ(result.warning, "");
}

}  // namespace
}  // namespace muster::exec
