#include "core/option/merge.hpp"

#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "fixtures/expect_error.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace muster::option {
namespace {

Layer layer(Key key, std::string value, Origin origin, std::string where) {
  Layer one;
  one.values.emplace(key, Setting{std::move(value), origin, std::move(where)});
  return one;
}

Layer option(Key key, std::string value) {
  return layer(key, std::move(value), Origin::option, "--distributed");
}

Layer site(Key key, std::string value) {
  return layer(key, std::move(value), Origin::site, "muster.yaml:2:9");
}

Policy fixing(Key key, std::string value) {
  Policy policy;
  policy.fix.emplace(key, Setting{std::move(value), Origin::site, "muster.yaml:12:5"});
  return policy;
}

Policy forbidding(Key key, std::optional<std::string> value) {
  Policy policy;
  policy.forbid.push_back({key, std::move(value), "muster.yaml:14:5"});
  return policy;
}

TEST(Merge, GivesEveryKeyItsDefault) {
  const Settings settings = merge({}, {});
  EXPECT_EQ(settings, default_settings());
  EXPECT_EQ(settings.profile.value, "torch");
  for (const KeyInfo& key : keys()) EXPECT_EQ(settings.at(key.key).value, key.default_text);
}

TEST(Merge, TakesEachKeyFromTheHighestLayerThatNamesIt) {
  const std::array layers{option(Key("bind"), "none"), site(Key("bind"), "auto")};
  EXPECT_EQ(merge(layers, {}).at(Key("bind")).value, "none");
  const std::array others{option(Key("port"), "2000"), site(Key("bind"), "none")};
  EXPECT_EQ(merge(others, {}).at(Key("bind")), (Setting{"none", Origin::site, "muster.yaml:2:9"}));
}

TEST(Merge, LetsTheSiteFixAValueThatNobodyAskedFor) {
  const std::array layers{site(Key("bind"), "auto")};
  const Settings settings = merge(layers, fixing(Key("bind"), "none"));
  EXPECT_EQ(settings.at(Key("bind")), (Setting{"none", Origin::site, "muster.yaml:12:5"}));
}

TEST(Merge, RefusesARequestThatDiffersFromAFixedValue) {
  const std::array layers{option(Key("bind"), "none")};
  EXPECT_EQ(fixtures::error_of([&] { merge(layers, fixing(Key("bind"), "auto")); }),
            "--distributed: bind=none: the site's policy fixes bind=auto (muster.yaml:12:5); "
            "leave bind out");
}

TEST(Merge, AcceptsARequestForTheFixedValueHoweverItIsWritten) {
  const std::array layers{option(Key("port"), "29500-29500")};
  EXPECT_EQ(merge(layers, fixing(Key("port"), "29500")).at(Key("port")).value, "29500");
}

TEST(Merge, RefusesAForbiddenKey) {
  const std::array layers{option(Key("network"), "ib0")};
  EXPECT_EQ(fixtures::error_of([&] { merge(layers, forbidding(Key("network"), {})); }),
            "--distributed: network=ib0: the site's policy forbids this key (muster.yaml:14:5); "
            "leave it out");
  EXPECT_NO_THROW(merge({}, forbidding(Key("network"), {})));
}

TEST(Merge, RefusesAForbiddenValueButNoOther) {
  const Policy policy = forbidding(Key("bind"), "none");
  const std::array wrong{option(Key("bind"), "none")};
  EXPECT_EQ(fixtures::error_of([&] { merge(wrong, policy); }),
            "--distributed: bind=none: the site's policy forbids this value (muster.yaml:14:5); "
            "choose another value");
  const std::array right{option(Key("bind"), "auto")};
  EXPECT_NO_THROW(merge(right, policy));
}

TEST(Merge, FindsAForbiddenInterfaceAmongOthers) {
  const std::array layers{option(Key("network"), "ib0+eth0")};
  EXPECT_THROW(merge(layers, forbidding(Key("network"), "eth0")), Error);
}

TEST(Merge, LetsAFixedValueStandInForAForbiddenDefault) {
  Policy policy = fixing(Key("bind"), "none");
  policy.forbid = forbidding(Key("bind"), "auto").forbid;
  EXPECT_EQ(merge({}, policy).at(Key("bind")).value, "none");
}

}  // namespace
}  // namespace muster::option
