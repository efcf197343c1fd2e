#include "core/site/show.hpp"

#include "core/option/key_table.hpp"
#include "unit/core/site/site_file.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::site {
namespace {

const char* const file =
    "defaults: {restarts: 2, hang: 10+restart}\n"
    "policy: {fix: {smt: on}, max: {restarts: 5}, forbid: [port, bind=none], profiles: [torch, jax]}\n";

// The output is a site file with the same meaning that names every key.
TEST(ShowConfig, IsAFileWithTheSameMeaning) {
  for (const bool origin : {false, true}) {
    const auto again = site(to_yaml(site(file), origin));
    EXPECT_EQ(to_yaml(again, false), to_yaml(site(file), false));
    EXPECT_EQ(again.defaults.values.size(), option::keys().size());
    EXPECT_EQ(again.policy.forbid.size(), 2U);
    EXPECT_EQ(again.policy.profiles->names, site(file).policy.profiles->names);
  }
  EXPECT_EQ(site(to_yaml({}, true)).policy, option::Policy{});
}

TEST(ShowConfig, NamesThePlaceOfEachValue) {
  const auto text = to_yaml(site(file), true);
  EXPECT_NE(text.find("  restarts: '2'                   # m.yaml:1:22\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("    - bind=none                   # m.yaml:2:61\n"), std::string::npos)
      << text;
}

TEST(ShowConfig, HasEveryKeyInItsJson) {
  const auto json = nlohmann::json::parse(to_json(site(file)));
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["keys"].size(), option::keys().size());
  EXPECT_EQ(json["keys"]["restarts"]["max"], "5");
  EXPECT_EQ(json["keys"]["smt"]["fixed"], true);
  EXPECT_EQ(json["keys"]["bind"]["forbidden"], nlohmann::json({"bind=none"}));
  EXPECT_EQ(json["profiles"], nlohmann::json({"torch", "jax"}));
}

}  // namespace
}  // namespace muster::site
