#include "core/error.hpp"
#include "core/status/counters.hpp"
#include "core/status/json.hpp"
#include "core/status/text.hpp"
#include "core/text/list.hpp"

#include <gtest/gtest.h>

namespace muster::status {
namespace {

using std::chrono::milliseconds;

Node node(const std::string& name, std::int64_t in, milliseconds time) {
  return {.name = name,
          .state = "running",
          .ranks = 8,
          .ranks_up = 8,
          .silence = milliseconds(120),
          .counts = Counts{.time = time,
                           .network = Traffic{in, 2 * in},
                           .rdma = std::nullopt,
                           .files = Traffic{in / 2, 0},
                           .output = LastOutput{3, milliseconds(1500), 4096},
                           .store = AtStore{7, {3}}},
          .rates = std::nullopt};
}

Step step(std::int64_t in, milliseconds time) {
  return {.name = "42.0",
          .host = "login",
          .attempt = 1,
          .restarts_left = 2,
          .age = milliseconds(12345),
          .ending = false,
          .logs = true,
          .ranks = 16,
          .ranks_up = 16,
          .nodes = {node("node1", in, time), node("node2", in, time)}};
}

TEST(StatusTest, RatesAreWhatTwoCountsDifferByInASecondOfTheNodesClock) {
  const auto before = step(1000, milliseconds(10000));
  auto now = step(5000, milliseconds(12000));
  add_rates(now, before);
  ASSERT_TRUE(now.nodes[0].rates);
  EXPECT_EQ(now.nodes[0].rates->network, (Traffic{2000, 4000}));
  EXPECT_EQ(now.nodes[0].rates->files, (Traffic{1000, 0}));
  EXPECT_FALSE(now.nodes[0].rates->rdma);
}

TEST(StatusTest, CountsThatHaveEndedWithTheirProcessesAreNoNegativeRate) {
  auto now = step(1000, milliseconds(12000));
  add_rates(now, step(5000, milliseconds(10000)));
  EXPECT_EQ(now.nodes[0].rates->network, (Traffic{0, 0}));
}

TEST(StatusTest, AnotherAttemptAndTheSameCountHaveNoRate) {
  auto now = step(5000, milliseconds(12000));
  auto before = step(1000, milliseconds(10000));
  before.attempt = 0;
  add_rates(now, before);
  EXPECT_FALSE(now.nodes[0].rates);
  add_rates(now, now);
  EXPECT_FALSE(now.nodes[0].rates);
}

TEST(StatusTest, TheLastOutputIsTheNewestOfAllNodesAndItsBytesAreOfAll) {
  auto both = step(1, milliseconds(1));
  both.nodes[1].counts->output = LastOutput{9, milliseconds(300), 1000};
  EXPECT_EQ(last_output(both), (LastOutput{9, milliseconds(300), 5096}));
}

TEST(StatusTest, AJobMeansItsStepsAndAStepItself) {
  const auto known = step(0, milliseconds(0));
  EXPECT_TRUE(is_meant(known, ""));
  EXPECT_TRUE(is_meant(known, "42"));
  EXPECT_TRUE(is_meant(known, "42.0"));
  EXPECT_FALSE(is_meant(known, "42.1"));
  EXPECT_FALSE(is_meant(known, "4"));
}

TEST(StatusTest, JsonComesBackAsItWas) {
  auto known = step(5000, milliseconds(12000));
  add_rates(known, step(1000, milliseconds(10000)));
  EXPECT_EQ(step_from(to_line(known)), known);
  EXPECT_EQ(steps_from(to_json({known, known})), (std::vector{known, known}));
}

TEST(StatusTest, WhatIsNoStatusIsRefused) {
  auto strange = step(0, milliseconds(0));
  strange.nodes[0].name = "node\033[2J";
  for (const auto& text : {std::string("{}"), std::string("[]"), std::string("garbage"),
                           std::string("[[[[[[[[[[[[]]]]]]]]]]]]"), to_line(strange)}) {
    EXPECT_THROW(step_from(text), Error) << text;
  }
  EXPECT_THROW(steps_from(R"({"version": 2, "steps": []})"), Error);
}

TEST(StatusTest, TheTableFitsEightyColumns) {
  auto wide = step(999'000'000'000, milliseconds(12000));
  wide.ranks = wide.ranks_up = 1048576;
  for (auto& each : wide.nodes) {
    each.name = "a-node-with-a-very-long-name-0123456789";
    each.state = "no agent";
    each.ranks = each.ranks_up = 1792;
    each.rates = Rates{Traffic{999'000'000, 9'900'000}, Traffic{1, 999'000'000'000},
                       Traffic{999'400'000, 999'400'000}};
  }
  wide.nodes[1].state = "lost";
  wide.nodes[1].silence = milliseconds(15000);
  const auto text = to_text(wide, {});
  for (const auto line : text::split(text, '\n')) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_NE(text.find("999M/9.9M"), std::string::npos) << text;
  EXPECT_NE(text.find("lost: a-node-with-a-v~ (15.0 s ago)"), std::string::npos) << text;
}

TEST(StatusTest, SaysWhyThereIsNoLastOutput) {
  auto without = step(0, milliseconds(0));
  without.logs = false;
  EXPECT_NE(to_text(without, {}).find("last output: unknown without logs="), std::string::npos);
  without.logs = true;
  EXPECT_NE(to_text(without, {}).find("last output: 1.5 s ago, rank 3"), std::string::npos);
  for (auto& each : without.nodes) each.counts.reset();
  EXPECT_NE(to_text(without, {}).find("last output: none yet"), std::string::npos);
}

TEST(StatusTest, TheLineAtTheStartCountsNodesThatHaveCome) {
  auto begun = step(0, milliseconds(0));
  begun.ranks_up = 8;
  begun.nodes[1] = Node();
  EXPECT_EQ(start_text(begun), "nodes ready 1/2, ranks up 8/16, attempt 1, 12 s");
  begun.nodes[0] = Node();
  begun.ranks = begun.ranks_up = 0;
  EXPECT_EQ(start_text(begun), "nodes ready 0/2, attempt 1, 12 s");
  begun.nodes.clear();
  EXPECT_EQ(start_text(begun), "");
}

constexpr auto devices =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n"
    "    lo: 500 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n"
    "  eth0:1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n"
    "   ib0: 30 1 0 0 0 0 0 0 4 1 0 0 0 0 0 0\n";

TEST(CountersTest, TheWantedInterfacesAreAddedUp) {
  EXPECT_EQ(network_traffic(devices, [](auto name) { return name != "lo"; }),
            (Traffic{1030, 2004}));
  EXPECT_EQ(network_traffic(devices, [](auto name) { return name == "none"; }), std::nullopt);
  EXPECT_EQ(network_traffic("eth0: 1 2\neth1\n:", [](auto) { return true; }), std::nullopt);
}

TEST(CountersTest, AProcessHasReadAndWritten) {
  EXPECT_EQ(file_traffic("rchar: 12\nwchar: 34\nsyscr: 5\n"), (Traffic{12, 34}));
  EXPECT_EQ(file_traffic(""), std::nullopt);
}

TEST(CountersTest, AProcessHasReadMappedFilesFromStorage) {
  EXPECT_EQ(storage_traffic("rchar: 12\nwchar: 34\nread_bytes: 4096\nwrite_bytes: 8192\n"),
            (Traffic{4096, 8192}));
  EXPECT_EQ(storage_traffic("rchar: 12\nwchar: 34\n"), std::nullopt);
}

}  // namespace
}  // namespace muster::status
