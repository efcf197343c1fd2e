#include "core/preflight/nccl.hpp"

#include "core/preflight/rounds.hpp"
#include "core/preflight/verdict.hpp"
#include "fixtures/random_record.hpp"
#include "unit/core/preflight/network_model.hpp"

#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::preflight {
namespace {

using State = NcclStart::State;

constexpr double limit = 2500;  // milliseconds

// Models, not measurements: RDMA between idle GPUs, sockets, and sockets on nodes that have other work.
constexpr Noise rdma{.latency = 25, .scatter = 0.15, .bandwidth = 2e10};
constexpr Noise sockets{.latency = 120, .scatter = 0.2, .hiccup = 0.02, .longest = 5000};
constexpr Noise busy_sockets{
    .latency = 150, .scatter = 0.4, .hiccup = 0.1, .longest = 50000, .stream_scatter = 0.4};

std::vector<std::string> names_of(std::size_t nodes) {
  std::vector<std::string> names;
  for (std::size_t node = 0; node < nodes; ++node) names.push_back("n" + std::to_string(node));
  return names;
}

NcclStart ready(double time = 600, std::uint32_t version = 22809) {
  return {State::ready, time, version, 4711, {}};
}

Observation well(std::size_t nodes) {
  Observation seen;
  seen.nodes = names_of(nodes);
  seen.answered.assign(nodes, true);
  seen.locals.assign(nodes, Local());
  seen.work.resize(nodes);
  seen.nccl.has_gpu.assign(nodes, true);
  seen.nccl.starts.assign(nodes, ready());
  seen.nccl.start_limit = seen.nccl.test_limit = limit;
  return seen;
}

// How long a test takes, from meeting to results, and how likely it nevertheless ends too late.
struct Pace {
  double usual = 700;
  double scatter = 0.2;  // of the logarithm
};

void run_tests(Observation& seen, Network& network, const Pace& pace, unsigned seed) {
  std::mt19937 random(seed + 77);
  std::normal_distribution<double> normal;
  auto& nccl = seen.nccl;
  while (true) {
    const auto waves =
        next_round(nccl.rounds, nccl_nodes(nccl.starts), seen.nodes.size(), nccl_links(nccl));
    if (waves.empty()) return;
    for (const auto& wave : waves) {
      for (const auto& pair : wave) {
        NcclTest test{network.test(pair, nccl.rounds)};
        test.link.measure ? void(test.link.measure->retransmitted = 0) : void();
        test.time = pace.usual * std::exp(pace.scatter * normal(random));
        test.late = test.time > limit;
        if (test.late) test.link = {pair.first, pair.second, nccl.rounds, {}, "not done in time"};
        nccl.tests.push_back(test);
      }
    }
    ++nccl.rounds;
  }
}

std::set<NodeIndex> named(const Observation& seen) {
  std::set<NodeIndex> bad;
  const auto all = verdicts(seen);
  for (NodeIndex node = 0; node < all.size(); ++node) {
    if (all[node].kind > Kind::warning) bad.insert(node);
  }
  return bad;
}

constexpr unsigned first_seed = 7'000'000;

TEST(NcclCleanRun, ExcludesNobodyInAThousand) {
  for (const auto& noise : {rdma, sockets, busy_sockets}) {
    for (const std::size_t nodes : {2U, 3U, 4U, 5U, 8U, 32U}) {
      std::size_t wrong = 0;
      for (unsigned seed = first_seed; seed < first_seed + 1000; ++seed) {
        Network network(noise, seed);
        auto seen = well(nodes);
        run_tests(seen, network, {}, seed);
        wrong += named(seen).size();
      }
      EXPECT_EQ(wrong, 0U) << nodes << " nodes, latency " << noise.latency;
    }
  }
}

// NCCL starts more slowly there than the limit allows for: sometimes in time and sometimes not.
TEST(NcclCleanRun, ExcludesNobodyWhereTheLimitIsTooShortForAll) {
  for (const double usual : {1200.0, 2000.0, 2400.0, 2600.0, 4000.0}) {
    std::size_t wrong = 0;
    for (unsigned seed = first_seed; seed < first_seed + 1000; ++seed) {
      Network network(rdma, seed);
      auto seen = well(8);
      run_tests(seen, network, {usual, 0.3}, seed);
      wrong += named(seen).size();
    }
    EXPECT_EQ(wrong, 0U) << usual;
  }
}

TEST(NcclFaultyNode, IsFoundInAHundredOfAHundred) {
  struct Injected {
    const char* name;
    Fault fault;
  };
  const std::vector<Injected> faults{{"1 ms delay", {.delay = 1000}},
                                     {"a tenth of its CPU", {.throttled = 0.1}},
                                     {"a tenth of its bandwidth", {.narrow = 0.1}},
                                     {"failing", {.failing = 1}}};
  for (const auto& [name, fault] : faults) {
    for (const std::size_t nodes : {8U, 9U, 32U}) {
      std::size_t found = 0;
      for (unsigned seed = first_seed; seed < first_seed + 100; ++seed) {
        Network network(rdma, seed);
        const auto bad = static_cast<NodeIndex>(seed % nodes);
        network.fault(bad) = fault;
        auto seen = well(nodes);
        run_tests(seen, network, {}, seed);
        if (named(seen) == std::set{bad}) ++found;
      }
      EXPECT_EQ(found, 100U) << name << ", " << nodes << " nodes";
    }
  }
}

Link good_link(NodeIndex from, NodeIndex to, std::uint32_t round) {
  return {from, to, round, Measure{25, 27, 0, 2e10}, {}};
}

TEST(NcclFaultyNode, IsNamedWithItsFiguresAndWhatTheyAreOf) {
  auto seen = well(8);
  Network network(rdma, 1);
  network.fault(3) = {.delay = 5000};
  run_tests(seen, network, {}, 1);
  const auto verdict = verdicts(seen)[3];
  EXPECT_EQ(verdict.kind, Kind::slow);
  EXPECT_TRUE(verdict.what.starts_with("NCCL: latency 5.0")) << verdict.what;
  EXPECT_NE(verdict.what.find(", elsewhere 0.02 ms (with n"), std::string::npos) << verdict.what;
}

// A node on which NCCL hangs in every test, while the tests of the others take a moment.
TEST(NcclTest, ThatEndsTooLateCountsWhereOthersWereDoneLongBefore) {
  auto seen = well(8);
  const auto add = [&](NodeIndex from, NodeIndex to, std::uint32_t round, double time) {
    NcclTest test{good_link(from, to, round), time, time > limit};
    if (test.late) test.link = {from, to, round, {}, "not done in time"};
    seen.nccl.tests.push_back(test);
  };
  const auto tests = [&](double usual) {
    seen.nccl.tests.clear();
    for (std::uint32_t round = 0; round < 2; ++round) {
      add(0, 1 + round, round, limit + 1);
      for (NodeIndex node = 3; node < 7; node += 2) add(node, node + 1, round, usual);
      add(2 - round, 7, round, usual);
    }
    return named(seen);
  };
  EXPECT_EQ(tests(500), (std::set<NodeIndex>{0}));
  EXPECT_EQ(tests(1500), std::set<NodeIndex>());
}

TEST(NcclTest, IsWhatItsEndsSayAndTheFirstFailureIsTheCause) {
  const auto end = [](double time, bool late, const char* failure) {
    NcclReport report{time, late, {1, 0, {}, failure}};
    if (*failure == '\0') report.report.measure = Measure{25, 27, 0, 2e10};
    return report;
  };
  const auto test = [](const NcclReport& from, const NcclReport& to) {
    return nccl_test({0, 1, 0, {}, {}}, from, to, limit);
  };
  const auto good = test(end(500, false, ""), end(600, false, ""));
  EXPECT_TRUE(good.link.measure);
  EXPECT_EQ(good.time, 600);
  const auto crash = test(end(2500, true, "a rank is missing"), end(300, false, "it crashed"));
  EXPECT_EQ(crash.link.why, "it crashed");
  EXPECT_FALSE(crash.late);
  const auto hang = test(end(2500, true, "not done"), end(2490, false, "the other node has gone"));
  EXPECT_EQ(hang.link.why, "not done");
  EXPECT_TRUE(hang.late);
  const auto one = test(end(700, false, ""), end(700, false, "a wrong sum"));
  EXPECT_EQ(one.link.why, "a wrong sum");
  EXPECT_FALSE(one.link.measure);
}

TEST(NcclTests, OfWhichHardlyOneSucceedsNameNobody) {
  auto seen = well(6);
  for (std::uint32_t round = 0; round < 2; ++round) {
    for (NodeIndex node = 0; node < 6; node += 2)
      seen.nccl.tests.push_back({{node, node + 1, round, {}, "no route"}});
  }
  seen.nccl.tests.push_back({good_link(0, 3, 2), 500, false});
  for (const auto& verdict : verdicts(seen)) EXPECT_EQ(verdict.kind, Kind::well);
  seen.nccl.tests.pop_back();
  EXPECT_EQ(nccl_lines(seen.nccl, seen.nodes),
            std::vector<std::string>{"NCCL: no test succeeded; the last failure: no route"});
}

TEST(NcclStart, ThatFailsIsTheNodesWhereMostOthersAreReady) {
  auto seen = well(4);
  seen.nccl.starts[1] = {State::failed, 30, 0, 0, "cuInit: system not yet initialized"};
  EXPECT_EQ(verdicts(seen)[1].kind, Kind::failing);
  EXPECT_EQ(verdicts(seen)[1].what, "NCCL cannot start: cuInit: system not yet initialized");
  seen.nccl.starts[2] = seen.nccl.starts[1];
  EXPECT_TRUE(named(seen).empty()) << "half of them";
}

TEST(NcclStart, ThatIsLateIsTheNodesWhereTheOthersWereReadyLongBefore) {
  auto seen = well(4);
  seen.nccl.starts[2] = NcclStart{State::late, limit, 0, 0, "its GPU or NCCL does not answer"};
  EXPECT_EQ(verdicts(seen)[2].kind, Kind::slow);
  EXPECT_EQ(verdicts(seen)[2].what,
            "its GPU was not ready for NCCL within 2.5 s; on other nodes, this took 0.6 s");
  for (const NodeIndex node : {0, 1, 3}) seen.nccl.starts[node] = ready(2000);
  EXPECT_TRUE(named(seen).empty()) << "a driver that takes so long everywhere";
}

TEST(NcclStart, ThatIsLeftOutNamesNobodyAndIsSaid) {
  auto seen = well(5);
  seen.nccl.starts[1] = NcclStart{State::left_out, 5, 0, 0, "no libnccl.so.2"};
  seen.nccl.starts[2] = NcclStart{State::left_out, 5, 0, 0, "no libnccl.so.2"};
  seen.nccl.starts[3] = ready(600, 22703);
  EXPECT_TRUE(named(seen).empty());
  EXPECT_EQ(nccl_nodes(seen.nccl.starts), (std::vector<NodeIndex>{0, 4}));
  seen.nccl.tests.push_back({good_link(0, 4, 0), 500, false});
  seen.nccl.rounds = 1;
  EXPECT_EQ(
      nccl_lines(seen.nccl, seen.nodes),
      (std::vector<std::string>{
          "NCCL: 2 nodes in 1 round, 0.5 s a test: latency 0.025 ms, bandwidth 20000 MB/s (medians)",
          "NCCL was not tested on n3: NCCL 2.27.3, but most nodes have 2.28.9",
          "NCCL was not tested on n[1-2]: no libnccl.so.2"}));
}

TEST(NcclLines, SayWhyThereWereNoTests) {
  auto seen = well(3);
  const auto line = [&] { return nccl_lines(seen.nccl, seen.nodes).front(); };
  seen.nccl.starts.assign(3, std::nullopt);
  EXPECT_EQ(line(), "NCCL was not tested: no time was left");
  seen.nccl.failure = "no time is left";
  EXPECT_EQ(line(), "NCCL was not tested: no time is left");
  seen.nccl.has_gpu = {false, true, false};
  EXPECT_EQ(line(), "NCCL was not tested: only one node has an NVIDIA GPU");
  seen.nccl.has_gpu = {false, false, false};
  EXPECT_EQ(line(), "NCCL was not tested: no node has an NVIDIA GPU");
}

TEST(NcclTexts, AreReadAsTheyWereWritten) {
  for (const auto& start : {ready(612.5), NcclStart{State::left_out, 1, 0, 0, "no libnccl"},
                            NcclStart{State::late, 2500, 0, 0, "no answer"},
                            NcclStart{State::failed, 20, 0, 0, "cuInit: x"}})
    EXPECT_EQ(nccl_start(to_text(start)), start);
  for (const auto& report : {NcclReport{700.5, false, {3, 0, Measure{25.5, 27, 0, 2e10}, ""}},
                             NcclReport{2500, true, {4, 0, {}, "NCCL does not answer"}},
                             NcclReport{30, false, {5, 0, {}, ""}}})
    EXPECT_EQ(nccl_report(to_text(report)), report);
}

TEST(NcclTexts, ComeBackAsTheyWereAndNothingElseDoes) {
  fixtures::expect_one_form<NcclStart>();
  fixtures::expect_one_form<NcclReport>();
}

TEST(NcclTexts, ThatCannotBeAreNothing) {
  for (const auto& start :
       {NcclStart{State::ready, 5, 22809, 0, ""}, NcclStart{State::ready, -1, 22809, 5, ""},
        NcclStart{State::late, std::numeric_limits<double>::infinity(), 0, 0, "x"},
        NcclStart{State{4}, 5, 0, 0, "x"}})
    EXPECT_EQ(nccl_start(to_text(start)), std::nullopt);
  EXPECT_EQ(nccl_report(to_text(NcclReport{-1, false, {5, 0, {}, ""}})), std::nullopt);
  EXPECT_EQ(nccl_start(to_text(NcclStart{State::failed, 5, 0, 0, ""}))->why, "no reason given");
}

TEST(NcclTexts, CutALongReasonBetweenTwoCharacters) {
  std::string why;
  for (int i = 0; i < 300; ++i) why += "\u00e4";
  const auto read = nccl_start(to_text(NcclStart{State::failed, 1, 0, 0, why}));
  ASSERT_TRUE(read);
  EXPECT_LT(read->why.size(), 210U);
  EXPECT_TRUE(read->why.ends_with("\u00e4...")) << read->why;
}

}  // namespace
}  // namespace muster::preflight
