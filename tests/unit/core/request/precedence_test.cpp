#include "core/request/precedence.hpp"

#include "core/option/keys.hpp"
#include "fixtures/expect_error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::request {
namespace {

site::Config with_bind(site::ConfigKind kind, std::string_view value) {
  return parse_config("defaults: {bind: " + std::string(value) + "}",
                      kind == site::ConfigKind::site ? "site.yaml" : "user.yaml", kind);
}

std::string where_bind_is_from(std::optional<std::string_view> option, const Environment& set,
                               const site::Config& user, const site::Config& site) {
  return merge_sources(option, set, user, site).settings.at(option::Key("bind")).where;
}

TEST(Gather, PutsTheOptionFirstAndTheDefaultsLast) {
  const site::Config site = with_bind(site::ConfigKind::site, "none");
  const site::Config user = with_bind(site::ConfigKind::user, "none");
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
  EXPECT_EQ(merge_sources("bind=none", twin, {}, {}).settings.profile.value, "jax");
  EXPECT_EQ(merge_sources("torch", twin, {}, {}).settings.profile.value, "torch");
  EXPECT_EQ(merge_sources("", {}, {}, {}).settings.profile.value, "torch");
}

TEST(Gather, LetsTheOptionDecideWhatIsWanted) {
  EXPECT_EQ(merge_sources("off", {{"MUSTER_DISTRIBUTED", "torch"}}, {}, {}).action,
            option::Action::off);
  EXPECT_EQ(merge_sources("torch", {{"MUSTER_DISTRIBUTED", "off"}}, {}, {}).action,
            option::Action::launch);
  EXPECT_EQ(merge_sources(std::nullopt, {{"MUSTER_DISTRIBUTED", "off"}}, {}, {}).action,
            option::Action::off);
  EXPECT_EQ(merge_sources("help", {}, {}, {}).action, option::Action::help);
}

TEST(Gather, CanBeSwitchedOffWhereTheTwinIsBroken) {
  EXPECT_EQ(merge_sources("off", {{"MUSTER_DISTRIBUTED", "bnid=none"}}, {}, {}).action,
            option::Action::off);
  EXPECT_THROW(merge_sources("torch", {{"MUSTER_DISTRIBUTED", "bnid=none"}}, {}, {}), Error);
}

TEST(Gather, HoldsTheSitesPolicyAgainstEveryLayerOfTheUser) {
  const site::Config site =
      parse_config("policy: {fix: {bind: auto}}", "site.yaml", site::ConfigKind::site);
  EXPECT_THROW(merge_sources("bind=none", {}, {}, site), Error);
  EXPECT_THROW(merge_sources("", {{"MUSTER_BIND", "none"}}, {}, site), Error);
  EXPECT_THROW(merge_sources("", {}, with_bind(site::ConfigKind::user, "none"), site), Error);
}

}  // namespace
}  // namespace muster::request
