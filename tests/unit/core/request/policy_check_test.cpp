#include "core/request/policy_check.hpp"

#include "core/error.hpp"
#include "core/option/keys.hpp"
#include "core/request/precedence.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::request {
namespace {

site::Config site(const std::string& text) {
  return site::parse_config(text, "/etc/muster/muster.yaml", site::ConfigKind::site);
}

// As a submit host without the site's file creates it.
Request asked(const std::string& option) {
  return make_request(merge_sources(option, {}, {}, {}).settings);
}

std::string refusal(const std::string& option, const std::string& policy) {
  try {
    check_policy(asked(option), site(policy));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(PolicyCheck, RefusesAForbiddenValueAndNamesTheLine) {
  EXPECT_EQ(refusal("torch,bind=none", "policy:\n  forbid: [bind=none]\n"),
            "bind=none: the site's policy on this node forbids this value "
            "(/etc/muster/muster.yaml:2:12); use srun --distributed, which knows the policy, and "
            "leave bind out");
  EXPECT_EQ(refusal("torch,bind=core", "policy:\n  forbid: [bind=none]\n"), "");
  EXPECT_NE(refusal("torch,network=ib0+eth0", "policy:\n  forbid: [network=eth0]\n"), "");
}

TEST(PolicyCheck, RefusesAnyValueOfAForbiddenKeyButTheDefault) {
  EXPECT_NE(refusal("torch,port=4000", "policy:\n  forbid: [port]\n"), "");
  EXPECT_EQ(refusal("torch", "policy:\n  forbid: [port]\n"), "");
}

TEST(PolicyCheck, LetsTheSitesDefaultOfAForbiddenKeyPass) {
  const std::string text = "defaults:\n  port: 4000\npolicy:\n  forbid: [port]\n";
  EXPECT_EQ(refusal("torch,port=4000", text), "");
  EXPECT_EQ(refusal("torch", text), "");
  EXPECT_NE(refusal("torch,port=4001", text), "");
}

TEST(PolicyCheck, RefusesWhatDiffersFromAFixedValue) {
  const std::string text = "policy:\n  fix: {bind: numa}\n";
  EXPECT_NE(refusal("torch", text), "");
  EXPECT_NE(refusal("torch,bind=none", text), "");
  EXPECT_EQ(refusal("torch,bind=numa", text), "");
}

TEST(PolicyCheck, AllowsTheFixedValueOfAKeyThatUsersCannotSet) {
  EXPECT_EQ(refusal("torch,bind=numa", "policy:\n  fix: {bind: numa}\n  forbid: [bind]\n"), "");
}

TEST(PolicyCheck, DoesNotBelieveTheRequestsWordAboutOrigins) {
  auto forged = asked("torch,port=4000");
  forged.sources[option::Key("port")] = {Origin::site, "/etc/muster/muster.yaml:1:1"};
  EXPECT_THROW(check_policy(forged, site("policy:\n  forbid: [port]\n")), Error);
}

TEST(PolicyCheck, PassesWhatTheSubmitHostMadeUnderTheSamePolicy) {
  const auto same = site(
      "defaults: {network: hsn*, smt: off}\npolicy:\n  fix: {bind: numa}\n  forbid: [network, "
      "smt, port=4000]\n");
  EXPECT_NO_THROW(check_policy(make_request(merge_sources("torch", {}, {}, same).settings), same));
}

}  // namespace
}  // namespace muster::request
