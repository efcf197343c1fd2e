#include "core/request/needs.hpp"

#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "core/request/precedence.hpp"
#include "core/request/request.hpp"
#include "core/site/config.hpp"
#include "fixtures/expect_error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::request {
namespace {

using option::Key;
using option::Need;

Request request_of(std::string_view option, const site::Config& site = {}) {
  return make_request(merge_sources(option, {}, {}, site).settings);
}

site::Config site_with(Key key, const std::string& value) {
  site::Config site;
  site.defaults.values[key] = {value, Origin::site, "m.yaml:2:8"};
  return site;
}

TEST(FirstAsked, IsAKeyThatTheUserHasSetAndThatNeedsSoMuch) {
  EXPECT_EQ(first_asked(request_of("requeue=1"), Need::slurm), Key("requeue"));
  EXPECT_EQ(first_asked(request_of("requeue=1"), Need::agent), Key("requeue"));
  EXPECT_EQ(first_asked(request_of("restarts=1"), Need::supervisor), Key("restarts"));
  EXPECT_EQ(first_asked(request_of("restarts=1"), Need::slurm), std::nullopt);
  EXPECT_EQ(first_asked(request_of("logs=x"), Need::agent), Key("logs"));
  EXPECT_EQ(first_asked(request_of("logs=x"), Need::supervisor), std::nullopt);
  EXPECT_EQ(first_asked(request_of("bind=none,port=2000,verbose"), Need::agent), std::nullopt);
}

TEST(FirstAsked, IsNoDefaultEvenIfTheUserWritesIt) {
  EXPECT_EQ(first_asked(request_of("restarts=0,nodes=all,exit=first"), Need::agent), std::nullopt);
}

TEST(FirstAsked, IsNoDefaultOfTheSite) {
  const auto site = site_with(Key("spares"), "1");
  EXPECT_EQ(first_asked(request_of("", site), Need::agent), std::nullopt);
  EXPECT_EQ(first_asked(request_of("spares=2", site), Need::agent), Key("spares"));
}

TEST(Without, LeavesTheDefaultsOfWhatNeedsSoMuch) {
  const auto site = site_with(Key("requeue"), "3");
  const auto left = without(request_of("torch,restarts=2,bind=none,logs=x", site), Need::slurm);
  EXPECT_EQ(left, request_of("torch,restarts=2,bind=none,logs=x"));
  EXPECT_EQ(to_option(without(left, Need::supervisor)), "torch,bind=none,logs=x");
}

TEST(Supervision, IsNeededToShowAPlan) {
  Request request;
  request.explain = true;
  EXPECT_NO_THROW(check_supervision(request));
  request.supervise = false;
  EXPECT_NE(fixtures::error_of([&] { check_supervision(request); }).find("needs the supervisor"),
            std::string::npos);
  request.explain = false;
  EXPECT_NO_THROW(check_supervision(request));
}

TEST(Supervision, IsNeededToStartAgain) {
  for (const std::string option :
       {"restarts=3", "norestart=3", "progress=step.txt", "nodes=2:4", "spares=1", "health=check",
        "health-timeout=3", "requeue=2", "stop=5", "hang=10", "preflight=on", "succession=on"}) {
    EXPECT_NO_THROW(check_supervision(request_of(option))) << option;
    const auto unsupervised = request_of(option + ",supervise=off");
    const auto key = option.substr(0, option.find('='));
    EXPECT_EQ(fixtures::error_of([&] { check_supervision(unsupervised); }),
              "--distributed: " + key +
                  " needs the supervisor, which supervise=off disables; remove one of the two");
  }
}

TEST(Supervision, MayBeOffWhereTheUserDoesNotAskToStartAgain) {
  EXPECT_NO_THROW(check_supervision(request_of("restarts=0,nodes=all,norestart=93,supervise=off")));
  site::Config site;
  site.defaults.values[option::Key("restarts")] = {"3", Origin::site, "m.yaml:2:8"};
  const auto settings = merge_sources("supervise=off", {}, {}, site).settings;
  EXPECT_NO_THROW(check_supervision(make_request(settings)));
}

}  // namespace
}  // namespace muster::request
