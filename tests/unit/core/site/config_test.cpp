#include "core/site/config.hpp"

#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"
#include "fixtures/scratch_directory.hpp"
#include "unit/core/site/site_file.hpp"

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::site {
namespace {

Config user(std::string_view text) {
  return parse_config(text, "u.yaml", ConfigKind::user);
}

std::string site_error(std::string_view text) {
  return fixtures::error_of([&] { site(text); });
}

std::string shipped_file() {
  std::ifstream file(MUSTER_SOURCE_DIR "/config/muster.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SiteConfig, ReadsDefaultsPolicyAndPlaces) {
  const Config config = site(
      "defaults:\n  bind: none\n  verbose: true\n"
      "policy:\n  fix:\n    supervise: on\n  forbid:\n    - network\n    - bind=auto\n"
      "profiles:\n  - /opt/profiles\n"
      "port_range: 50000-50999\n"
      "gather_timeout: 5\n"
      "control_ports: 7000-7100\n"
      "networks:\n  - partition: gpu\n    interfaces: [hsn*]\n");
  EXPECT_EQ(config.defaults.values.at(option::Key("bind")),
            (option::Setting{"none", Origin::site, "m.yaml:2:9"}));
  EXPECT_EQ(config.defaults.values.at(option::Key("verbose")).value, "on");
  EXPECT_EQ(config.policy.fix.at(option::Key("supervise")).where, "m.yaml:6:16");
  ASSERT_EQ(config.policy.forbid.size(), 2U);
  EXPECT_EQ(config.policy.forbid[0],
            (option::Forbidden{option::Key("network"), std::nullopt, "m.yaml:8:7"}));
  EXPECT_EQ(config.policy.forbid[1],
            (option::Forbidden{option::Key("bind"), "auto", "m.yaml:9:7"}));
  EXPECT_EQ(config.profile_dirs, std::vector<std::string>{"/opt/profiles"});
  EXPECT_EQ(config.port_range, (option::PortRange{50000, 50999}));
  EXPECT_EQ(config.gather_timeout, std::chrono::seconds(5));
  EXPECT_EQ(config.control_ports, (option::PortRange{7000, 7100}));
  ASSERT_EQ(config.networks.size(), 1U);
  EXPECT_EQ(config.networks[0].interfaces.where, "m.yaml:17:17");
}

TEST(SiteConfig, IsBuiltInWhereTheFileSaysNothing) {
  EXPECT_EQ(site(""), Config{});
  EXPECT_EQ(site("defaults:\npolicy:\nprofiles:\n"), Config{});
}

TEST(SiteConfig, NamesLineAndColumnAndTheNearestWord) {
  EXPECT_EQ(site_error("defautls: {}\n"),
            "m.yaml:1:1: unknown key 'defautls': not part of this file's format; did you mean "
            "'defaults'?");
  EXPECT_EQ(site_error("defaults:\n  bnid: none\n"),
            "m.yaml:2:3: unknown key 'bnid': no option has this name; did you mean 'bind'?");
  EXPECT_EQ(site_error("defaults:\n  bind: non\n"),
            "m.yaml:2:9: bind=non: unknown value; did you mean 'none'?");
  EXPECT_EQ(site_error("policy:\n  fxi: {}\n"),
            "m.yaml:2:3: unknown key 'fxi': not part of a policy; did you mean 'fix'?");
  EXPECT_EQ(site_error("policy: {forbid: [bnid]}\n"),
            "m.yaml:1:19: unknown key 'bnid': no option has this name; did you mean 'bind'?");
}

TEST(SiteConfig, RefusesPortsAndTimesThatCannotBe) {
  EXPECT_NE(site_error("port_range: 80-90").find("privileged"), std::string::npos);
  EXPECT_NE(site_error("port_range: 3000-2000").find("empty range"), std::string::npos);
  EXPECT_NE(site_error("control_ports: 80-90").find("privileged"), std::string::npos);
  EXPECT_NE(site_error("port_range: auto").find("a range is needed"), std::string::npos);
  for (const auto* text : {"0", "-1", "3601", "1.5", "soon", "99999999999999999999"}) {
    EXPECT_THROW(site("gather_timeout: " + std::string(text)), Error) << text;
  }
}

TEST(SiteConfig, ReadsHowManyNodesMeetAtOne) {
  EXPECT_EQ(site("rendezvous: {width: 2}").rendezvous_width, 2U);
  EXPECT_EQ(site("rendezvous: {width: auto}").rendezvous_width, std::nullopt);
  for (const auto* text : {"0", "-1", "1000001", "wide"}) {
    EXPECT_THROW(site("rendezvous: {width: " + std::string(text) + "}"), Error) << text;
  }
  EXPECT_THROW(site("rendezvous: {depth: 2}"), Error);
}

TEST(SiteConfig, RefusesARelativeProfileDirectory) {
  EXPECT_NE(site_error("profiles: [here]").find("a relative path"), std::string::npos);
}

TEST(UserConfig, HasDefaultsAndProfilesOnly) {
  EXPECT_EQ(user("defaults: {bind: none}").defaults.values.at(option::Key("bind")).origin,
            Origin::user);
  EXPECT_EQ(fixtures::error_of([] { user("policy: {}"); }),
            "u.yaml:1:1: 'policy': only the site's file may set this; remove it");
}

TEST(ShippedConfig, SetsNothing) {
  EXPECT_EQ(parse_config(shipped_file(), "m.yaml", ConfigKind::site), Config{});
}

TEST(ShippedConfig, ShowsEveryKeyWithItsDefault) {
  const std::string text = shipped_file();
  for (const option::KeyInfo& key : option::keys()) {
    const std::string line = "  # " + std::string(key.name) + ": " + std::string(key.default_text);
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
}

TEST(ShippedConfig, StaysValidWithEveryDefaultWrittenOut) {
  const std::regex commented("  # ([a-z-]+: )");
  const std::string text = std::regex_replace(shipped_file(), commented, "  $1");
  const Config config = parse_config(text, "m.yaml", ConfigKind::site);
  EXPECT_EQ(config.defaults.values.size(), option::keys().size());
}

TEST(LoadConfig, IsBuiltInWithoutAFile) {
  const fixtures::ScratchDirectory scratch;
  EXPECT_EQ(load_config(scratch.path("none.yaml"), ConfigKind::site, file::trust_root()), Config{});
  EXPECT_EQ(load_config("", ConfigKind::user, file::trust_root()), Config{});
}

TEST(LoadConfig, ReadsATrustedFile) {
  const fixtures::ScratchDirectory scratch;
  const std::string file = scratch.write("m.yaml", "gather_timeout: 7\n");
  const file::Trust trust = file::trust_root_and(::getuid());
  EXPECT_EQ(load_config(file, ConfigKind::site, trust).gather_timeout, std::chrono::seconds(7));
}

TEST(UserConfigPath, FollowsXdgAndHome) {
  EXPECT_EQ(user_config_path({{"HOME", "/home/a"}}), "/home/a/.config/muster/config.yaml");
  EXPECT_EQ(user_config_path({{"HOME", "/home/a"}, {"XDG_CONFIG_HOME", "/x"}}),
            "/x/muster/config.yaml");
  EXPECT_EQ(user_config_path({{"HOME", "/home/a"}, {"XDG_CONFIG_HOME", "relative"}}),
            "/home/a/.config/muster/config.yaml");
  EXPECT_EQ(user_config_path({}), "");
}

TEST(ProfileDirectories, PutTheUsersBeforeTheSitesBeforeTheBuiltIn) {
  Config mine;
  mine.profile_dirs = {"/mine"};
  Config sites;
  sites.profile_dirs = {"/site"};
  EXPECT_EQ(profile_directories(mine, sites, {{"HOME", "/home/a"}}, "/usr/share/muster/profiles"),
            (std::vector<std::string>{"/mine", "/home/a/.config/muster/profiles", "/site",
                                      "/usr/share/muster/profiles"}));
}

TEST(SiteConfig, AnswersAnyTextWithAConfigOrAnErrorInOneLine) {
  fixtures::RandomText random(7);
  const std::string valid = "defaults: {bind: none, port: 2000-3000}\npolicy:\n  forbid: [view]\n";
  for (int i = 0; i < 10'000; ++i) {
    std::string text = valid;
    for (std::size_t count = random.below(6); count > 0; --count) text = random.mutate(text);
    try {
      site(text);
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what())) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::site
