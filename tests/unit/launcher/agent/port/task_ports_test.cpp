#include "launcher/agent/port/task_ports.hpp"

#include "core/error.hpp"
#include "core/layout/layout.hpp"
#include "core/profile/profile.hpp"
#include "fixtures/expect_error.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::port {
namespace {

using Texts = std::vector<std::string>;

// Rank 0 is on the second node; the third has no task.
const layout::Layout scattered{{"node1", "node2", "node3"}, {1, 0, 1}, ""};

// The line of a node with so many ports, which lie from `first` on.
std::string line_of(const std::string& address, rendezvous::Port first, std::size_t count) {
  std::vector<rendezvous::Port> candidates;
  for (auto port = first; port < first + 50; ++port) candidates.push_back(port);
  return endpoints_text(address, hold_task_ports(candidates, count, "a node"));
}

// All ports here lie below those that Linux gives to connections, which other tests make by the thousand.
TEST(Endpoints, AreInTheOrderOfRanksWhateverNodeTheyAreOn) {
  const auto one = hold_task_ports({21100, 21101, 21102, 21103}, 1, "node1");
  const auto two = hold_task_ports({21104, 21105, 21106, 21107}, 2, "node2");
  const auto at = [](const auto& ports, std::size_t index) {
    return ":" + std::to_string(ports.at(index).port());
  };
  const auto lines = endpoints_text("10.0.0.1", one) + '\n' + endpoints_text("10.0.0.2", two);
  EXPECT_EQ(endpoints_by_rank(lines, scattered, option::Ranks::slurm),
            (Texts{"10.0.0.2" + at(two, 0), "10.0.0.1" + at(one, 0), "10.0.0.2" + at(two, 1)}));
  EXPECT_EQ(endpoints_by_rank(lines, scattered, option::Ranks::contiguous),
            (Texts{"10.0.0.2" + at(two, 0), "10.0.0.2" + at(two, 1), "10.0.0.1" + at(one, 0)}));
}

TEST(Endpoints, PutIpv6InBrackets) {
  const auto text = line_of("fd00::1", 21110, 1);
  EXPECT_TRUE(endpoints_by_rank(text, {{"a"}, {0}, ""}, option::Ranks::slurm)
                  .at(0)
                  .starts_with("[fd00::1]:"));
}

void expect_refused(const std::string& lines) {
  fixtures::expect_error([&] { endpoints_by_rank(lines, scattered, option::Ranks::slurm); },
                         "is the same muster version installed on every node?");
}

TEST(Endpoints, AreRefusedTruncatedLengthenedAndFromAnotherVersion) {
  const auto one = line_of("10.0.0.1", 21120, 1);
  const auto two = line_of("10.0.0.2", 21160, 2);
  const auto lines = one + '\n' + two;
  EXPECT_NO_THROW(endpoints_by_rank(lines, scattered, option::Ranks::slurm));
  for (std::size_t size = 0; size < lines.size(); ++size) expect_refused(lines.substr(0, size));
  expect_refused('1' + lines);
  expect_refused(lines + "0 ");
  expect_refused(lines + '\n' + one);
  expect_refused(two + '\n' + one);
  expect_refused("10.0.0.1 7000\n10.0.0.2 7001 7002");
}

TEST(Endpoints, AreHeldForEveryTaskAndNoneTwice) {
  std::vector<rendezvous::Port> candidates;
  for (rendezvous::Port port = 21000; port < 21032; ++port) candidates.push_back(port);
  const auto first = hold_task_ports(candidates, 3, "node1");
  const auto second = hold_task_ports(candidates, 3, "node1");
  std::set<rendezvous::Port> all;
  for (const auto* const held : {&first, &second}) {
    for (const auto& port : *held) all.insert(port.port());
  }
  EXPECT_EQ(all.size(), 6U);
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
