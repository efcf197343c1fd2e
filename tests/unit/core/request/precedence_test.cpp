#include "core/request/precedence.hpp"

#include "fixtures/expect_error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster {
namespace {

Config with_bind(ConfigKind kind, std::string_view value) {
  return parse_config("defaults: {bind: " + std::string(value) + "}",
                      kind == ConfigKind::site ? "site.yaml" : "user.yaml", kind);
}

std::string where_bind_is_from(std::optional<std::string_view> option, const Environment& set,
                               const Config& user, const Config& site) {
  return gather(option, set, user, site).settings.at(Key::bind).where;
}

TEST(Gather, PutsTheOptionFirstAndTheDefaultsLast) {
  const Config site = with_bind(ConfigKind::site, "none");
  const Config user = with_bind(ConfigKind::user, "none");
  const Environment variable{{"MUSTER_BIND", "none"}};
  const Environment both{{"MUSTER_BIND", "none"}, {"MUSTER_DISTRIBUTED", "torch,bind=none"}};
  EXPECT_EQ(where_bind_is_from("bind=none", both, user, site), "--distributed");
  EXPECT_EQ(where_bind_is_from("verbose", both, user, site), "MUSTER_DISTRIBUTED");
  EXPECT_EQ(where_bind_is_from("verbose", variable, user, site), "MUSTER_BIND");
  EXPECT_EQ(where_bind_is_from("verbose", {}, user, site), "user.yaml:1:18");
  EXPECT_EQ(where_bind_is_from("verbose", {}, {}, site), "site.yaml:1:18");
  EXPECT_EQ(where_bind_is_from("verbose", {}, {}, {}), "default");
}

TEST(Gather, TakesTheProfileFromTheTwinWhereTheOptionNamesNone) {
  const Environment twin{{"MUSTER_DISTRIBUTED", "jax"}};
  EXPECT_EQ(gather("bind=none", twin, {}, {}).settings.profile.value, "jax");
  EXPECT_EQ(gather("torch", twin, {}, {}).settings.profile.value, "torch");
  EXPECT_EQ(gather("", {}, {}, {}).settings.profile.value, "torch");
}

TEST(Gather, LetsTheOptionDecideWhatIsWanted) {
  EXPECT_EQ(gather("off", {{"MUSTER_DISTRIBUTED", "torch"}}, {}, {}).wanted, Wanted::off);
  EXPECT_EQ(gather("torch", {{"MUSTER_DISTRIBUTED", "off"}}, {}, {}).wanted, Wanted::launch);
  EXPECT_EQ(gather(std::nullopt, {{"MUSTER_DISTRIBUTED", "off"}}, {}, {}).wanted, Wanted::off);
  EXPECT_EQ(gather("help", {}, {}, {}).wanted, Wanted::help);
}

TEST(Gather, CanBeSwitchedOffWhereTheTwinIsBroken) {
  EXPECT_EQ(gather("off", {{"MUSTER_DISTRIBUTED", "bnid=none"}}, {}, {}).wanted, Wanted::off);
  EXPECT_THROW(gather("torch", {{"MUSTER_DISTRIBUTED", "bnid=none"}}, {}, {}), Error);
}

TEST(Gather, HoldsTheSitesPolicyAgainstEveryLayerOfTheUser) {
  const Config site = parse_config("policy: {fix: {bind: auto}}", "site.yaml", ConfigKind::site);
  EXPECT_THROW(gather("bind=none", {}, {}, site), Error);
  EXPECT_THROW(gather("", {{"MUSTER_BIND", "none"}}, {}, site), Error);
  EXPECT_THROW(gather("", {}, with_bind(ConfigKind::user, "none"), site), Error);
}

}  // namespace
}  // namespace muster
