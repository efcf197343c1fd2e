#include "launcher/tools/exec/node_plan.hpp"

#include "core/option/keys.hpp"
#include "core/rendezvous/port_candidates.hpp"
#include "core/request/precedence.hpp"
#include "core/request/request.hpp"
#include "fixtures/expect_error.hpp"
#include "launcher/channel/step/facts.hpp"

#include <gtest/gtest.h>

namespace muster::exec {
namespace {

using fixtures::expect_error;

request::Request wish(option::Key key, Origin origin) {
  request::Request request;
  request.restarts = 3;
  request.sources[key] = {origin, "--distributed"};
  return request;
}

TEST(WithoutSupervisor, WhatNeedsOneIsAnErrorThatSaysWhatToDo) {
  fixtures::expect_error(
      [] { check_without_supervisor(wish(option::Key("restarts"), Origin::option)); },
      "--distributed: restarts=3 needs a supervisor, which muster exec does not provide; "
      "leave it out");
}

TEST(WithoutSupervisor, NoHealthCommandRuns) {
  auto request = wish(option::Key("health"), Origin::option);
  request.health = "gpu-check";
  fixtures::expect_error([&] { check_without_supervisor(request); },
                         "--distributed: health=gpu-check needs a supervisor, which muster exec "
                         "does not provide; leave it out");
}

// Each was once accepted, and had no effect.
TEST(WithoutSupervisor, EachKeyOfOneIsRefused) {
  for (const std::string option :
       {"succession=on", "health-timeout=3", "logs=x,prefix=node", "requeue=1", "exit=slurm"}) {
    const auto asked = request::make_request(request::merge_sources(option, {}, {}, {}).settings);
    const auto error = fixtures::error_of([&] { check_without_supervisor(asked); });
    EXPECT_NE(error.find("needs a supervisor"), std::string::npos) << option;
  }
}

TEST(WithoutSupervisor, TheSitesDefaultIsNoWishOfTheUsers) {
  EXPECT_NO_THROW(check_without_supervisor(wish(option::Key("restarts"), Origin::site)));
}

TEST(WithoutSupervisor, SupervisionThatIsSwitchedOffIsNoNews) {
  auto request = wish(option::Key("supervise"), Origin::option);
  request.supervise = false;
  request.explain = true;
  EXPECT_NO_THROW(check_without_supervisor(request));
}

TEST(Ports, AreTheFirstThatTheAgentsWouldTry) {
  const Environment environment{{"SLURM_STEP_RESV_PORTS", "20001-20003"}};
  const auto ports = ports_of(environment, {}, {}, {"blue", 42, 3, 0});
  EXPECT_EQ(ports.ports, std::vector<rendezvous::Port>{20001});
  const rendezvous::StepName step{"blue", 42, 3, 0};
  const auto all = port_candidates(step::port_sources_of({}, {}, {}), step);
  EXPECT_EQ(ports_of({}, {}, {}, step).ports.front(), all.ports.front());
}

}  // namespace
}  // namespace muster::exec
