#include "core/preflight/judge.hpp"

#include "core/preflight/rounds.hpp"
#include "core/preflight/verdict.hpp"
#include "unit/core/preflight/network_model.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::preflight {
namespace {

// Models, not measurements: a quiet cluster; one whose nodes have other work; and one of many nodes on two
// cores, where a stream's share of the machine varies by half.
constexpr Noise quiet{};
constexpr Noise busy{
    .latency = 90, .scatter = 0.3, .hiccup = 0.05, .longest = 20000, .stream_scatter = 0.3};
constexpr Noise crowded{
    .latency = 400, .scatter = 0.5, .hiccup = 0.2, .longest = 200000, .stream_scatter = 0.6};

std::vector<Link> tests_of(std::size_t nodes, Network& network) {
  std::vector<NodeIndex> all(nodes);
  for (NodeIndex node = 0; node < nodes; ++node) all[node] = node;
  std::vector<Link> links;
  for (std::uint32_t round = 0;; ++round) {
    const auto waves = next_round(round, all, nodes, links);
    if (waves.empty()) return links;
    for (const auto& wave : waves) {
      for (const auto& pair : wave) links.push_back(network.test(pair, round));
    }
  }
}

std::set<NodeIndex> bad_nodes(std::size_t nodes, const std::vector<Link>& links) {
  std::set<NodeIndex> bad;
  const auto all = standings(nodes, links);
  for (NodeIndex node = 0; node < nodes; ++node) {
    const auto standing = all[node].standing;
    if (standing == Standing::slow || standing == Standing::failing) bad.insert(node);
  }
  return bad;
}

std::set<NodeIndex> found_in(std::size_t nodes, Network& network) {
  return bad_nodes(nodes, tests_of(nodes, network));
}

// The thresholds were chosen with the seeds 0 to 19,999. An earlier choice excluded a good node with one of
// the seeds from 2,000,000 on, so those have also influenced the choice. The seeds used here have not.
constexpr unsigned held_out = 5'000'000;

TEST(CleanRun, ExcludesNobodyInAThousand) {
  for (const auto& noise : {quiet, busy, crowded}) {
    for (const std::size_t nodes : {2U, 3U, 4U, 5U, 8U, 32U}) {
      for (const unsigned first : {0U, held_out}) {
        std::size_t wrong = 0;
        for (unsigned seed = first; seed < first + 1000; ++seed) {
          Network network(noise, seed);
          wrong += found_in(nodes, network).size();
        }
        EXPECT_EQ(wrong, 0U) << nodes << " nodes, latency " << noise.latency << ", seeds from "
                             << first;
      }
    }
  }
}

// Each time a different node, and no other.
std::size_t found_of_100(const Noise& noise, std::size_t nodes, const Fault& fault,
                         unsigned first = held_out) {
  std::size_t found = 0;
  for (unsigned seed = first; seed < first + 100; ++seed) {
    Network network(noise, seed);
    const auto bad = static_cast<NodeIndex>(seed % nodes);
    network.fault(bad) = fault;
    if (found_in(nodes, network) == std::set{bad}) ++found;
  }
  return found;
}

struct Injected {
  const char* name;
  Fault fault;
};

TEST(FaultyNode, IsFoundInAHundredOfAHundred) {
  const std::vector<Injected> faults{{"1 ms delay", {.delay = 1000}},
                                     {"5 % loss", {.lost = 0.05}},
                                     {"a tenth of its CPU", {.throttled = 0.1}},
                                     {"a tenth of its bandwidth", {.narrow = 0.1}},
                                     {"unreachable", {.failing = 1}}};
  for (const auto& [name, fault] : faults) {
    for (const std::size_t nodes : {8U, 9U, 32U}) {
      EXPECT_EQ(found_of_100(quiet, nodes, fault), 100U) << name << ", " << nodes << " nodes";
    }
  }
}

// Half of four nodes' tests involve the one bad node, so what is usual is less certain.
TEST(FaultyNode, OfFourOrFiveIsFoundInNineteenOfTwenty) {
  const std::vector<Injected> faults{{"1 ms delay", {.delay = 1000}},
                                     {"5 % loss", {.lost = 0.05}},
                                     {"a tenth of its bandwidth", {.narrow = 0.1}},
                                     {"unreachable", {.failing = 1}}};
  for (const auto& [name, fault] : faults) {
    for (const std::size_t nodes : {4U, 5U}) {
      EXPECT_GE(found_of_100(quiet, nodes, fault), 95U) << name << ", " << nodes << " nodes";
    }
  }
}

TEST(FaultyNode, IsFoundAmongNodesThatHaveOtherWork) {
  const std::vector<Injected> faults{{"5 ms delay", {.delay = 5000}},
                                     {"10 % loss", {.lost = 0.1}},
                                     {"unreachable", {.failing = 1}}};
  for (const auto& [name, fault] : faults) {
    EXPECT_EQ(found_of_100(busy, 8, fault), 100U) << name;
  }
}

TEST(FaultyNodes, AreAllFoundWhileTheyAreAQuarter) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Network network(quiet, seed);
    std::mt19937 random(seed);
    std::set<NodeIndex> bad;
    while (bad.size() < 4) bad.insert(static_cast<NodeIndex>(random() % 16));
    for (const auto node : bad) network.fault(node) = {.delay = 2000};
    const auto links = tests_of(16, network);
    EXPECT_EQ(bad_nodes(16, links), bad) << seed;
    EXPECT_LE(links.back().round, 3U);
  }
}

TEST(TwoRounds, AreEnoughForOneFaultyNode) {
  for (const std::size_t nodes : {6U, 8U, 9U, 32U}) {
    Network network(quiet, 1);
    network.fault(3) = {.failing = 1};
    const auto links = tests_of(nodes, network);
    EXPECT_EQ(links.back().round, 1U) << nodes;
    EXPECT_EQ(bad_nodes(nodes, links), std::set<NodeIndex>{3}) << nodes;
  }
}

TEST(TwoNodes, CannotBeToldApart) {
  Network network(quiet, 1);
  network.fault(0) = {.failing = 1};
  const auto links = tests_of(2, network);
  EXPECT_TRUE(bad_nodes(2, links).empty());
  Observation seen{
      .nodes = {"n1", "n2"}, .answered = {true, true}, .locals = {{}, {}}, .work = {{}, {}}};
  seen.links = links;
  EXPECT_EQ(undecided(seen),
            "n1 and n2 cannot reach each other (cannot connect); with two nodes, either may be "
            "at fault");
  for (const auto& verdict : verdicts(seen)) EXPECT_EQ(verdict.kind, Kind::well);
}

TEST(AnyRound, TestsNoNodeTwiceAtOnceAndEachAtLeastOnceInTheFirstTwo) {
  for (std::size_t nodes = 2; nodes < 40; ++nodes) {
    Network network(busy, static_cast<unsigned>(nodes));
    std::vector<NodeIndex> all(nodes);
    for (NodeIndex node = 0; node < nodes; ++node) all[node] = node;
    std::vector<Link> links;
    for (std::uint32_t round = 0; round < rounds_of_all; ++round) {
      std::set<NodeIndex> tested;
      for (const auto& wave : next_round(round, all, nodes, links)) {
        std::set<NodeIndex> of_wave;
        for (const auto& [one, other] : wave) {
          EXPECT_NE(one, other);
          EXPECT_TRUE(of_wave.insert(one).second);
          EXPECT_TRUE(of_wave.insert(other).second);
          links.push_back(network.test({one, other}, round));
        }
        tested.insert(of_wave.begin(), of_wave.end());
      }
      EXPECT_EQ(tested.size(), nodes) << "round " << round;
    }
  }
}

TEST(OneBadTest, IsForgivenWhereItDoesNotComeAgain) {
  const Measure good{60, 66, 0, 2e9};
  std::vector<Link> links{{0, 1, 0, {}, "cannot connect"},
                          {2, 3, 0, good, {}},
                          {4, 5, 0, good, {}},
                          {6, 7, 0, good, {}}};
  EXPECT_EQ(standings(8, links)[0].standing, Standing::suspect);
  EXPECT_EQ(standings(8, links)[1].standing, Standing::suspect);
  const auto waves = next_round(1, std::vector<NodeIndex>{0, 1, 2, 3, 4, 5, 6, 7}, 8, links);
  ASSERT_EQ(waves.size(), 1U);
  for (const auto& [one, other] : waves.front()) {
    EXPECT_FALSE(std::max(one, other) == 1 && std::min(one, other) == 0);
    links.push_back({one, other, 1, good, {}});
  }
  EXPECT_TRUE(bad_nodes(8, links).empty());
  for (const auto& each : standings(8, links)) EXPECT_EQ(each.standing, Standing::good);
}

TEST(Figures, AreComparedWithTheMedianOfAllAndSaySo) {
  const Measure good{60, 66, 0, 2e9};
  std::vector<Link> links{{0, 1, 0, Measure{5000, 5100, 0, 1e9}, {}},
                          {2, 3, 0, good, {}},
                          {4, 5, 0, good, {}},
                          {0, 2, 1, Measure{60, 66, 0, 1e8}, {}},
                          {1, 4, 1, Measure{60, 66, 4, 2e9}, {}}};
  const auto judged = judge(links);
  EXPECT_EQ(judged[0].what, "latency 5.00 ms, elsewhere 0.06 ms");
  EXPECT_EQ(judged[1].what, "");
  EXPECT_EQ(judged[3].what, "bandwidth 100 MB/s, elsewhere 2000 MB/s");
  EXPECT_EQ(judged[4].what, "4 of its packets were lost, compared with 0 elsewhere");
}

TEST(LocalFinding, ThatMostNodesHaveIsAWarningOfEach) {
  const Finding finding{Severity::slow, "its control group throttled its CPUs for 300 of 900 ms"};
  Observation seen;
  for (int node = 0; node < 5; ++node) {
    seen.nodes.push_back("n" + std::to_string(node));
    seen.answered.push_back(true);
    seen.locals.emplace_back(Local{{finding}, {}});
    seen.work.emplace_back();
  }
  for (const auto& verdict : verdicts(seen)) EXPECT_EQ(verdict.kind, Kind::warning);
  for (int node = 1; node < 5; ++node) seen.locals[static_cast<std::size_t>(node)] = Local();
  EXPECT_EQ(verdicts(seen)[0].kind, Kind::slow);
}

TEST(SlowCpu, IsFoundByTheOthersAndOnlyWhereItIsSlowTwice) {
  Observation seen;
  for (int node = 0; node < 5; ++node) {
    seen.nodes.push_back("n" + std::to_string(node));
    seen.answered.push_back(true);
    seen.locals.emplace_back(Local());
    seen.work.push_back({1000, 990});
  }
  seen.work[3] = {400, 420};
  seen.work[4] = {400, 990};
  const auto found = verdicts(seen);
  EXPECT_EQ(found[3].kind, Kind::slow);
  EXPECT_EQ(found[3].what, "its CPU runs at only 42 % of the usual speed");
  for (const auto node : {0, 1, 2, 4}) EXPECT_EQ(found[node].kind, Kind::well);
}

TEST(Candidate, IsLoweredByWhatWasFoundAndNeverRaised) {
  using enum restart::Fitness;
  const auto after = [](Kind kind) { return lowered({"n", fit, "", ""}, {kind, "x"}).fitness; };
  EXPECT_EQ(after(Kind::well), fit);
  EXPECT_EQ(after(Kind::warning), fit);
  EXPECT_EQ(after(Kind::no_answer), doubtful);
  EXPECT_EQ(after(Kind::slow), suspect);
  EXPECT_EQ(after(Kind::failing), suspect);
  EXPECT_EQ(lowered({"n", unfit, "down", ""}, {Kind::slow, "x"}).why, "down");
  EXPECT_EQ(lowered({"n", fit, "", ""}, {Kind::slow, "x"}).why, "preflight: x");
}

}  // namespace
}  // namespace muster::preflight
