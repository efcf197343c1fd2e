#include "core/option/option.hpp"

#include "core/option/keys.hpp"
#include "fixtures/expect_error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::option {
namespace {

Option parse(std::string_view text) {
  return parse_option(text, Origin::option, "--distributed");
}

std::string error_for(std::string_view text) {
  return fixtures::error_of([&] { parse(text); });
}

TEST(ParseOption, BareOptionNamesNothing) {
  EXPECT_EQ(parse(""), Option{});
}

TEST(ParseOption, ReadsProfileKeysAndSwitches) {
  const Option option = parse("jax,bind=none,verbose,network=ib0+eth*");
  EXPECT_EQ(option.action, Action::launch);
  EXPECT_EQ(option.layer.profile, (Setting{"jax", Origin::option, "--distributed"}));
  EXPECT_EQ(option.layer.values.at(Key("bind")).value, "none");
  EXPECT_EQ(option.layer.values.at(Key("verbose")).value, "on");
  EXPECT_EQ(option.layer.values.at(Key("network")).value, "ib0+eth*");
}

TEST(ParseOption, MayBeginWithAKey) {
  EXPECT_EQ(parse("bind=none").layer.profile, std::nullopt);
  EXPECT_EQ(parse("bind=none").layer.values.at(Key("bind")).value, "none");
  EXPECT_EQ(parse("verbose").layer.profile, std::nullopt);
  EXPECT_EQ(parse("verbose").layer.values.at(Key("verbose")).value, "on");
}

TEST(ParseOption, KeepsEverythingAfterTheFirstEqualsSign) {
  EXPECT_EQ(parse("logs=a=b").layer.values.at(Key("logs")).value, "a=b");
}

TEST(ParseOption, RecognisesOffAndHelpAsTheWholeValueOnly) {
  EXPECT_EQ(parse("off").action, Action::off);
  EXPECT_EQ(parse("help").action, Action::help);
  EXPECT_EQ(error_for("torch,off"),
            "--distributed: 'off' cannot be combined with other words; use --distributed=off");
  EXPECT_EQ(error_for("help,torch"),
            "--distributed: 'help' cannot be combined with other words; use --distributed=help");
}

TEST(ParseOption, RefusesAKeyThatComesTwice) {
  EXPECT_EQ(error_for("torch,bind=none,bind=none"),
            "--distributed: bind twice: only one value can apply; remove one");
}

TEST(ParseOption, RefusesAnUnknownKeyWithTheNearestOne) {
  EXPECT_EQ(error_for("torch,bnid=none"),
            "--distributed: unknown key 'bnid': no option has this name; did you mean 'bind'?");
}

TEST(ParseOption, RefusesAKeyWithoutItsValue) {
  EXPECT_EQ(error_for("torch,port"),
            "--distributed: port without a value: it is not an on/off switch; use port=N|A-B");
}

TEST(ParseOption, RefusesEmptyWords) {
  for (const auto* text : {",", "torch,", ",torch", "torch,,bind=none"}) {
    EXPECT_NE(error_for(text).find("empty word"), std::string::npos) << text;
  }
}

TEST(ParseOption, RefusesMoreThan4096Bytes) {
  EXPECT_NO_THROW(parse("logs=" + std::string(4091, 'x')));
  EXPECT_NE(error_for("logs=" + std::string(4092, 'x')).find("the limit is 4096"),
            std::string::npos);
}

TEST(OptionFromEnvironment, ReadsTheTwinOfTheOption) {
  EXPECT_EQ(option_from_environment({}), Option{});
  const Option option = option_from_environment({{"MUSTER_DISTRIBUTED", "none,verbose"}});
  EXPECT_EQ(option.layer.profile, (Setting{"none", Origin::user, "MUSTER_DISTRIBUTED"}));
}

TEST(VariablesLayer, ReadsOneVariablePerKey) {
  const Layer layer = variables_layer({{"MUSTER_BIND", "none"}, {"MUSTER_DRY_RUN", "off"}});
  EXPECT_EQ(layer.values.at(Key("bind")), (Setting{"none", Origin::user, "MUSTER_BIND"}));
  EXPECT_EQ(layer.values.at(Key("dry-run")).where, "MUSTER_DRY_RUN");
  EXPECT_EQ(layer.values.size(), 2U);
}

TEST(VariablesLayer, LeavesOtherVariablesAlone) {
  EXPECT_EQ(variables_layer({{"MUSTER_AGENT_PIPE", "3"}, {"BIND", "none"}}), Layer{});
}

}  // namespace
}  // namespace muster::option
