#include "core/rendezvous/port_candidates.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::rendezvous {
namespace {

using Ports = std::vector<Port>;

const StepName step{.cluster = "main", .job_id = 42, .step_id = 0, .attempt = 0};

PortSources sources() {
  return {.user = std::nullopt,
          .option = std::nullopt,
          .option_origin = Origin::option,
          .reserved = std::nullopt,
          .site = {61000, 65535}};
}

std::string error_for_master_port(const std::string& port) {
  auto from = sources();
  from.user = port;
  return fixtures::error_of([&] { port_candidates(from, step); });
}

bool all_within(const Ports& ports, option::PortRange range) {
  return std::all_of(ports.begin(), ports.end(),
                     [&](Port port) { return port >= range.first && port <= range.last; });
}

TEST(PortCandidates, AreTheUsersMasterPortBeforeAnythingElse) {
  auto from = sources();
  from.user = "29500";
  from.option = option::PortRange{2000, 3000};
  from.reserved = "20001-20003";
  const auto candidates = port_candidates(from, step);
  EXPECT_EQ(candidates.ports, Ports{29500});
  EXPECT_EQ(candidates.origin, Origin::user);
  EXPECT_EQ(candidates.source, "MASTER_PORT");
}

TEST(PortCandidates, AreNotAnEmptyMasterPort) {
  auto from = sources();
  from.user = "";
  from.option = option::PortRange{2000, 3000};
  EXPECT_EQ(port_candidates(from, step).origin, Origin::option);
}

TEST(PortCandidates, AreTheOptionsBeforeSlurms) {
  auto from = sources();
  from.option = option::PortRange{2000, 3000};
  from.option_origin = Origin::site;
  from.reserved = "20001-20003";
  const auto candidates = port_candidates(from, step);
  EXPECT_EQ(candidates.ports.size(), max_port_candidates);
  EXPECT_TRUE(all_within(candidates.ports, {2000, 3000}));
  EXPECT_EQ(candidates.origin, Origin::site);
  EXPECT_EQ(candidates.source, "port=");
}

TEST(PortCandidates, AreSlurmsLeaseBeforeTheSitesRange) {
  auto from = sources();
  from.reserved = "20001-20003,20010";
  const auto candidates = port_candidates(from, step);
  EXPECT_EQ(candidates.ports, (Ports{20001, 20002, 20003, 20010}));
  EXPECT_EQ(candidates.origin, Origin::slurm);
  EXPECT_EQ(candidates.source, "MpiParams=ports=");
}

TEST(PortCandidates, AreTheSitesRangeWhereNothingElseIsGiven) {
  for (const auto* const useless : {"", "(null)", "x-y"}) {
    auto from = sources();
    from.reserved = useless;
    const auto candidates = port_candidates(from, step);
    EXPECT_EQ(candidates.ports.size(), max_port_candidates);
    EXPECT_TRUE(all_within(candidates.ports, {61000, 65535}));
    EXPECT_EQ(candidates.origin, Origin::rendezvous);
    EXPECT_EQ(candidates.source, "port_range");
  }
}

TEST(PortCandidates, AreTheSameOnEveryNode) {
  EXPECT_EQ(port_candidates(sources(), step).ports, port_candidates(sources(), step).ports);
  // These must never change: agents of one version on many nodes must agree, whatever compiler built them.
  EXPECT_EQ(port_candidates(sources(), step).ports,
            port_candidates(sources(), StepName{"main", 42, 0, 0}).ports);
}

TEST(PortCandidates, NeverRepeatAPort) {
  for (std::uint32_t job = 0; job < 200; ++job) {
    for (const option::PortRange range :
         {option::PortRange{61000, 65535}, option::PortRange{2000, 2016}}) {
      auto from = sources();
      from.option = range;
      const auto ports = port_candidates(from, {"main", job, 0, 0}).ports;
      EXPECT_EQ(std::set<Port>(ports.begin(), ports.end()).size(), max_port_candidates);
    }
  }
}

TEST(PortCandidates, CoverARangeThatIsSmall) {
  auto from = sources();
  from.option = option::PortRange{2000, 2004};
  auto ports = port_candidates(from, step).ports;
  std::sort(ports.begin(), ports.end());
  EXPECT_EQ(ports, (Ports{2000, 2001, 2002, 2003, 2004}));
  from.option = option::PortRange{65535, 65535};
  EXPECT_EQ(port_candidates(from, step).ports, Ports{65535});
}

TEST(PortCandidates, DifferForEveryPartOfTheStepsName) {
  const auto first = [](const StepName& name) { return port_candidates(sources(), name).ports[0]; };
  EXPECT_NE(first(step), first({"other", 42, 0, 0}));
  EXPECT_NE(first(step), first({"main", 43, 0, 0}));
  EXPECT_NE(first(step), first({"main", 42, 1, 0}));
  EXPECT_NE(first(step), first({"main", 42, 0, 1}));
}

TEST(PortCandidates, SpreadNeighbouringStepsOverTheRange) {
  // 2000 steps onto 4536 ports: chance alone leaves 64 % of the first choices distinct per step
  // and almost never puts more than 8 on one port.
  std::map<Port, int> taken;
  for (std::uint32_t job = 1000; job < 2000; ++job) {
    for (const std::uint32_t id : {0U, 1U}) {
      ++taken[port_candidates(sources(), {"main", job, id, 0}).ports[0]];
    }
  }
  EXPECT_GT(taken.size(), 1500U);
  for (const auto& [port, steps] : taken) EXPECT_LE(steps, 8) << port;
}

TEST(MasterPort, IsRefusedWhenItIsNoUsablePort) {
  EXPECT_EQ(error_for_master_port("80"),
            "MASTER_PORT is '80', which is not a port between 1024 and 65535; unset it to let "
            "muster choose, or export a free one");
  for (const auto* const port : {"0", "-1", "1023", "65536", "29500 ", " 29500", "29500x", "0x7000",
                                 "29500-29510", "99999999999", "29500\n"}) {
    EXPECT_TRUE(fixtures::is_one_line(error_for_master_port(port))) << port;
  }
  EXPECT_LT(error_for_master_port(std::string(100'000, '9')).size(), 300U);
}

TEST(MasterPort, MayBeAnyUnprivilegedPort) {
  for (const auto* const port : {"1024", "65535"}) {
    auto from = sources();
    from.user = port;
    EXPECT_EQ(port_candidates(from, step).ports.size(), 1U);
  }
}

TEST(TaskPorts, AreTheLeasedOnesButForTheRendezvousAndThenOthers) {
  PortSources leased;
  leased.reserved = "20001-20003";
  const auto ports = task_port_candidates(leased, {"c", 1, 0, 0}, 2, 20001);
  ASSERT_GE(ports.size(), 4U);
  EXPECT_EQ(ports[0], 20002);
  EXPECT_EQ(ports[1], 20003);
  EXPECT_GE(ports[2], 61000);
}

TEST(TaskPorts, SufficeForEveryTaskAndDifferFromTheRendezvousCandidates) {
  const auto ports = task_port_candidates({}, step, 128, 0);
  EXPECT_GE(ports.size(), 128U);
  EXPECT_NE(ports[0], port_candidates({}, step).ports[0]);
}

TEST(ReservedPorts, AreReadAsSlurmWritesThem) {
  EXPECT_EQ(parse_reserved_ports("20001"), Ports{20001});
  EXPECT_EQ(parse_reserved_ports("20001-20003,20010"), (Ports{20001, 20002, 20003, 20010}));
  EXPECT_EQ(parse_reserved_ports("20001-30000").size(), max_port_candidates);
  EXPECT_EQ(parse_reserved_ports("65534-65535"), (Ports{65534, 65535}));
}

TEST(ReservedPorts, AreNoneWhenTheTextMakesNoSense) {
  for (const auto* const text : {"", "x", "1-", "-1", "1-2-3", "0", "65536", "1-65536", "2-1",
                                 "20001,x", "20001 ", "(null)"}) {
    EXPECT_EQ(parse_reserved_ports(text), Ports{}) << text;
  }
}

TEST(ReservedPorts, AreFewWhateverTheText) {
  fixtures::RandomText random(1);
  const std::vector<std::string> pieces{"20001", "-", ",", "65535", "0", "1", "x", " "};
  for (int i = 0; i < 20'000; ++i) {
    const auto text = i % 4 == 0 ? random.bytes(20) : random.pieces(pieces, 9);
    ASSERT_LE(parse_reserved_ports(text).size(), max_port_candidates);
  }
}

TEST(ExchangePort, IsTheLastOfSlurmsLease) {
  auto from = sources();
  from.reserved = "20001-20004";
  const auto ports = exchange_port_candidates(from, step, 20001);
  ASSERT_EQ(ports.size(), max_port_candidates);
  EXPECT_EQ((Ports{ports[0], ports[1]}), (Ports{20004, 20003}));
  EXPECT_TRUE(all_within({ports.begin() + 2, ports.end()}, {61000, 65535}));
}

TEST(ExchangePort, LeavesTheOneAfterMasterPortToTheProgram) {
  auto from = sources();
  from.reserved = "20001-20002";
  EXPECT_TRUE(all_within(exchange_port_candidates(from, step, 20001), {61000, 65535}));
  from.reserved.reset();
  for (int taken = 61000; taken < 65535; ++taken) {
    const auto ports = exchange_port_candidates(from, step, static_cast<Port>(taken));
    ASSERT_EQ(std::ranges::count(ports, taken + 1), 0) << taken;
  }
  EXPECT_FALSE(exchange_port_candidates(from, step, 65535).empty());
}

TEST(ExchangePort, IsOfTheRangeThatTheUserGaveWhereItHasAnother) {
  auto from = sources();
  from.option = option::PortRange{2000, 2002};
  from.reserved = "20001";
  EXPECT_EQ(exchange_port_candidates(from, step, 2000)[0], 2002);
  from.option = option::PortRange{2000, 2001};
  EXPECT_EQ(exchange_port_candidates(from, step, 2000)[0], 20001);
}

TEST(ExchangePort, IsNeverTheRanksOwnNorWhereTheyLookFirst) {
  const auto ranks = port_candidates(sources(), step).ports;
  const auto ports = exchange_port_candidates(sources(), step, ranks[0]);
  EXPECT_TRUE(all_within(ports, {61000, 65535}));
  EXPECT_NE(ports[0], ranks[0]);
  EXPECT_NE(ports[0], ranks[1]);
  EXPECT_EQ(ports, exchange_port_candidates(sources(), step, ranks[0])) << "everywhere the same";
}

}  // namespace
}  // namespace muster::rendezvous
