#include "launcher/agent/port/task_ports.hpp"

#include "core/error.hpp"
#include "core/layout/layout.hpp"
#include "core/profile/profile.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::port {
namespace {

using Texts = std::vector<std::string>;

// Rank 0 is on the second node; the third has no task.
const layout::Layout scattered{{"node1", "node2", "node3"}, {1, 0, 1}, ""};

TEST(Endpoints, AreInTheOrderOfRanksWhateverNodeTheyAreOn) {
  EXPECT_EQ(endpoints_by_rank("10.0.0.1 7000\n10.0.0.2 7001 7002", scattered, option::Ranks::slurm),
            (Texts{"10.0.0.2:7001", "10.0.0.1:7000", "10.0.0.2:7002"}));
  EXPECT_EQ(
      endpoints_by_rank("10.0.0.1 7000\n10.0.0.2 7001 7002", scattered, option::Ranks::contiguous),
      (Texts{"10.0.0.2:7001", "10.0.0.2:7002", "10.0.0.1:7000"}));
}

TEST(Endpoints, PutIpv6InBrackets) {
  EXPECT_EQ(endpoints_by_rank("fd00::1 7000", {{"a"}, {0}, ""}, option::Ranks::slurm),
            Texts{"[fd00::1]:7000"});
}

TEST(Endpoints, AreAnErrorWhenALineIsMissingOrShort) {
  for (const auto* const lines : {"", "10.0.0.1 7000", "10.0.0.1\n10.0.0.2 7001 7002",
                                  "10.0.0.1 7000 7003\n10.0.0.2 7001 7002"}) {
    EXPECT_THROW(endpoints_by_rank(lines, scattered, option::Ranks::slurm), Error) << lines;
  }
}

TEST(Endpoints, AreHeldForEveryTaskAndNoneTwice) {
  std::vector<rendezvous::Port> candidates;
  for (rendezvous::Port port = 41000; port < 41032; ++port) candidates.push_back(port);
  const auto first = hold_task_ports(candidates, 3, "node1");
  const auto second = hold_task_ports(candidates, 3, "node1");
  std::set<rendezvous::Port> all;
  for (const auto* const held : {&first, &second}) {
    for (const auto& port : *held) all.insert(port.port());
  }
  EXPECT_EQ(all.size(), 6U);
  EXPECT_EQ(endpoints_text("10.0.0.1", first).substr(0, 9), "10.0.0.1 ");
  EXPECT_THROW(hold_task_ports({candidates[0]}, 2, "node1"), Error);
}

TEST(Endpoints, AreWantedOnlyByProfilesThatNameThem) {
  const auto profile = [](const std::string& text) {
    return profile::resolve_profile(
        "p", [&](const std::string&) { return profile::parse_profile(text, "p.yaml"); });
  };
  EXPECT_TRUE(wants_endpoints(profile("environment: {A: \"[{endpoints}]\"}")));
  EXPECT_TRUE(wants_endpoints(profile("environment: {A: \"{task_port}\"}")));
  EXPECT_FALSE(wants_endpoints(profile("environment: {A: \"{master_port}\"}")));
}

}  // namespace
}  // namespace muster::port
