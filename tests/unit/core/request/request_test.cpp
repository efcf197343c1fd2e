#include "core/request/request.hpp"

#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "core/request/precedence.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::request {
namespace {

Request request(std::string_view option) {
  return make_request(merge_sources(option, {}, {}, {}).settings);
}

std::string error_for(std::string_view option) {
  return fixtures::error_of([&] { request(option); });
}

TEST(MakeRequest, GivesTheDefaultsWithoutAnyWord) {
  EXPECT_EQ(request(""), Request{});
}

TEST(MakeRequest, TypesEveryValueAndKeepsItsOrigin) {
  const Request made = request("none,bind=none,network=ib0+eth*,port=2000-2009,supervise=off");
  EXPECT_EQ(made.profile, "none");
  EXPECT_EQ(made.bind, option::Bind::none);
  EXPECT_EQ(made.network, (std::vector<std::string>{"ib0", "eth*"}));
  EXPECT_EQ(made.port, (option::PortRange{2000, 2009}));
  EXPECT_FALSE(made.supervise);
  EXPECT_EQ(source(made, option::Key("port")), (Source{Origin::option, "--distributed"}));
  EXPECT_EQ(source(made, option::Key("gpus")), Source{});
  EXPECT_EQ(made.profile_source.origin, Origin::option);
}

// A site with a separate network for the partition.
class NetworkRuleOfTheSite : public testing::Test {
 protected:
  Source after(std::string_view option, const site::Config& site) {
    const auto asked = merge_sources(option, {}, {}, site);
    const auto made = with_network_rule(make_request(asked.settings), rule_, site.policy);
    network_ = made.network;
    return source(made, option::Key("network"));
  }

  site::NetworkRule rule_{{.partition = "gpu"}, {"hsn*+ib0", Origin::site, "m.yaml:3:5"}};
  std::vector<std::string> network_;
};

TEST_F(NetworkRuleOfTheSite, HoldsWhereNobodyHasChosen) {
  EXPECT_EQ(after("", {}), (Source{Origin::site, "m.yaml:3:5"}));
  EXPECT_EQ(network_, (std::vector<std::string>{"hsn*", "ib0"}));
}

TEST_F(NetworkRuleOfTheSite, ComesBeforeTheSitesDefault) {
  site::Config site;
  site.defaults.values[option::Key("network")] = {"eth0", Origin::site, "m.yaml:9:9"};
  EXPECT_EQ(after("", site), (Source{Origin::site, "m.yaml:3:5"}));
}

TEST_F(NetworkRuleOfTheSite, GivesWayToTheUser) {
  EXPECT_EQ(after("network=eth0", {}).origin, Origin::option);
  EXPECT_EQ(network_, std::vector<std::string>{"eth0"});
  EXPECT_EQ(after("network=auto", {}).origin, Origin::option);
  EXPECT_TRUE(network_.empty());
}

TEST_F(NetworkRuleOfTheSite, GivesWayToThePolicy) {
  site::Config site;
  site.policy.fix[option::Key("network")] = {"eth0", Origin::site, "m.yaml:9:9"};
  EXPECT_EQ(after("", site).where, "m.yaml:9:9");
  EXPECT_EQ(network_, std::vector<std::string>{"eth0"});
}

// How many hardware threads per core Slurm's --hint requests.
bool smt_after(std::string_view option, std::string_view hint, const site::Config& site = {}) {
  const auto asked = merge_sources(option, {}, {}, site);
  return with_hint(make_request(asked.settings), hint, site.policy).smt;
}

TEST(Hint, SaysWhatNobodyElseHasSaid) {
  EXPECT_FALSE(smt_after("", "nomultithread"));
  EXPECT_FALSE(smt_after("", "compute_bound,nomultithread"));
  EXPECT_TRUE(smt_after("", "compute_bound"));
  EXPECT_TRUE(smt_after("", ""));
  EXPECT_EQ(source(with_hint(request(""), "nomultithread", {}), option::Key("smt")),
            (Source{Origin::slurm, "--hint=nomultithread"}));
}

TEST(Hint, GivesWayToTheUserAndThePolicyButNotToTheSitesDefault) {
  EXPECT_TRUE(smt_after("smt=on", "nomultithread"));
  EXPECT_FALSE(smt_after("smt=off", "multithread"));
  site::Config site;
  site.defaults.values[option::Key("smt")] = {"off", Origin::site, "m.yaml:2:8"};
  EXPECT_FALSE(smt_after("", "", site));
  EXPECT_TRUE(smt_after("", "multithread", site));
  site.policy.fix[option::Key("smt")] = {"off", Origin::site, "m.yaml:4:8"};
  EXPECT_FALSE(smt_after("", "multithread", site));
}

TEST(OneThreadPerCore, IsLikeAHint) {
  const auto off = with_one_thread_per_core(request(""), {});
  EXPECT_FALSE(off.smt);
  EXPECT_EQ(source(off, option::Key("smt")), (Source{Origin::slurm, "--threads-per-core=1"}));
  EXPECT_TRUE(with_one_thread_per_core(request("smt=on"), {}).smt);
  const option::Policy policy{.fix = {}, .forbid = {{option::Key("smt"), "off", "m.yaml:4:8"}}};
  EXPECT_TRUE(with_one_thread_per_core(request(""), policy).smt);
}

// A request may contain a hint that srun was never given.
TEST(Hint, SaysNothingThatThePolicyForbids) {
  site::Config site;
  site.policy.forbid = {{option::Key("smt"), "off", "m.yaml:4:8"}};
  EXPECT_TRUE(smt_after("", "nomultithread", site));
  site.policy.forbid = {{option::Key("smt"), std::nullopt, "m.yaml:4:8"}};
  EXPECT_TRUE(smt_after("", "nomultithread", site));
  site.policy.forbid = {{option::Key("bind"), "none", "m.yaml:4:8"}};
  EXPECT_FALSE(smt_after("", "nomultithread", site));
}

TEST(MakeRequest, TakesEveryWordOfAKeyThatThisReleaseHas) {
  for (const option::KeyInfo& key : option::keys()) {
    if (key.since == option::not_yet) continue;
    for (const std::string_view word : key.words) {
      const std::string option = std::string(key.name) + "=" + std::string(word);
      EXPECT_NO_THROW(request(option)) << option;
    }
  }
}

TEST(MakeRequest, RefusesAProfileNameThatCouldBeAPath) {
  for (const auto* name : {"../etc", "Torch", "a.b", "a/b", "t\xC3\xB6rch"}) {
    EXPECT_NE(error_for(name).find("a profile's name may contain only"), std::string::npos) << name;
  }
}

TEST(ToOption, SaysOnlyWhatIsNotDefault) {
  EXPECT_EQ(to_option(request("")), "torch");
  EXPECT_EQ(to_option(request(
                "none,verbose,bind=none,supervise=off,smt=off,memory=strict,port=2000-2000")),
            "none,bind=none,memory=strict,smt=off,port=2000,verbose,supervise=off");
}

TEST(MakeRequest, AnswersAnyOptionWithARequestOrAnErrorInOneLine) {
  fixtures::RandomText random(3);
  const std::vector<std::string> pieces{
      "torch",   "none",  ",",    "=",    "bind", "port", "network", "verbose",   "auto",
      "on",      "off",   "help", "+",    "2000", "-",    "eth*",    "gpus",      "shared",
      "ranks",   "slurm", "\n",   "logs", "\xFF", "{}",   "%n",      "bind=none", ",port=2000-3000",
      ",verbose"};
  int requests = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = i % 4 == 0 ? random.bytes(40) : random.pieces(pieces, 7);
    try {
      const MergedSettings asked = merge_sources(text, {}, {}, {});
      const Request made = make_request(asked.settings);
      ASSERT_EQ(make_request(merge_sources(to_option(made), {}, {}, {}).settings).port, made.port);
      ++requests;
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what())) << error.what();
    }
  }
  EXPECT_GT(requests, 100);
}

}  // namespace
}  // namespace muster::request
