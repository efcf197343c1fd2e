// slow= on simulated networks: a narrow link gets named in time, and nothing in hours of any healthy run.
#include "core/slow/links.hpp"

#include "simulated_network.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace muster::slow {
namespace {

constexpr double hours = 3600;
constexpr double in_time = 60 + 80;  // the first minute, the window, and what is not told yet
constexpr double mb = 1e6;

using namespace std::chrono_literals;

using Speed = decltype(Network::speed);

Speed narrow(std::size_t from, std::size_t to, double speed) {
  return
      [=](auto one, auto other, auto, auto&) { return one == from && other == to ? speed : 1e9; };
}

// How many of 100 runs name this link, and it alone, within two minutes and 20 seconds.
int named_right(Network network, std::size_t from, std::size_t to, double speed) {
  int right = 0;
  network.speed = narrow(from, to, speed);
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const auto found = SimulatedNetwork(network, seed).run(in_time);
    right += found.size() == 1 && found[0].from == from && found[0].to == to ? 1 : 0;
  }
  return right;
}

TEST(SlowLinks, ANarrowLinkIsNamed) {
  for (const std::size_t nodes : {3, 4, 8}) {
    for (const double bytes : {50 * mb, 500 * mb}) {
      const Network network{.nodes = nodes, .rounds = ring(nodes, bytes)};
      EXPECT_GE(named_right(network, 1, 2, 100 * mb), 99) << nodes << ' ' << bytes;
    }
  }
  for (const std::size_t nodes : {4, 8}) {
    const Network network{.nodes = nodes, .rounds = halving_doubling(nodes, 200 * mb)};
    EXPECT_GE(named_right(network, 1, 3, 50 * mb), 99) << nodes;
  }
}

TEST(SlowLinks, ANarrowLinkOfManyConnectionsIsNamed) {
  const Network network{.nodes = 4, .rounds = ring(4, 500 * mb), .connections = 16};
  EXPECT_GE(named_right(network, 3, 0, 200 * mb), 99);
}

TEST(SlowLinks, ItsSpeedAndWhatIsLostAreTold) {
  Network network{.nodes = 4, .rounds = ring(4, 200 * mb)};
  network.speed = narrow(2, 3, 50 * mb);
  const auto found = SimulatedNetwork(network, 1).run(in_time);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].speed / mb, 50, 5);
  EXPECT_NEAR(found[0].others / mb, 1000, 200);
  EXPECT_NEAR(found[0].busy_share, 0.95, 0.03);  // six times a second, and 0.3 s for the rest
  EXPECT_NEAR(found[0].lost_share, 0.90, 0.04);
  EXPECT_EQ(found[0].repeated_share, 0);
}

TEST(SlowLinks, ALinkThatLosesDataIsNamedAlthoughNothingQueuesUpInIt) {
  Network network{.nodes = 4, .rounds = ring(4, mb / 10), .compute = 0.02};
  network.speed = narrow(2, 3, mb / 2);
  EXPECT_TRUE(SimulatedNetwork(network, 1).run(in_time).empty());
  network.repeated = [](auto from, auto to) { return from == 2 && to == 3 ? 0.04 : 0; };
  const auto found = SimulatedNetwork(network, 1).run(in_time);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].repeated_share, 0.04, 0.01);
}

// The names that one link gets in ten minutes, while all carry this much in five seconds, and it late.
std::size_t names_of_late_link(std::uint64_t bytes) {
  Links links({});
  std::size_t names = 0;
  for (auto now = 0s; now < 600s; now += 5s) {
    for (std::size_t node = 0; node < 4; ++node) {
      const bool late = node == 2;
      links.add(node,
                {.own = {address_of_node(node)},
                 .flows = {{.to = address_of_node((node + 1) % 4),
                            .bytes = bytes,
                            .busy = late ? 250ms : 2ms,
                            .most = late ? 250ms : 2ms,
                            .segments = 200,
                            .repeated = late ? 4U : 0U,
                            .looks = 5}}},
                now);
    }
    names += links.look(now).size();
  }
  return names;
}

// A node whose CPUs are busy acknowledges late.
TEST(SlowLinks, NothingIsNamedForAFewSmallMessagesThatAreSentAgain) {
  EXPECT_GT(names_of_late_link(1 << 20), 0U);
  EXPECT_EQ(names_of_late_link(200 << 10), 0U);
}

TEST(SlowLinks, TheNetworkOfANodeIsNamedIfAllItsLinksAreSlow) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Network network{.nodes = 4, .rounds = halving_doubling(4, 200 * mb)};
    const auto check = [&](Direction direction) {
      const auto found = SimulatedNetwork(network, seed).run(in_time);
      ASSERT_EQ(found.size(), 1U);
      EXPECT_EQ(found[0].from, 2U);
      EXPECT_FALSE(found[0].to);
      EXPECT_EQ(found[0].direction, direction);
    };
    network.speed = [](auto from, auto, auto, auto&) { return from == 2 ? 80 * mb : 1e9; };
    check(Direction::out);
    network.speed = [](auto, auto to, auto, auto&) { return to == 2 ? 80 * mb : 1e9; };
    check(Direction::in);
    network.speed = [](auto from, auto to, auto, auto&) {
      return from == 2 || to == 2 ? 80 * mb : 1e9;
    };
    check(Direction::both);
    network.nodes = 3;
    network.rounds = ring(3, 200 * mb);
    check(Direction::both);
  }
}

// The acknowledgements of what a node receives leave it through its narrow link: a little later.
TEST(SlowLinks, ALinkThatIsABitSlowerBesideANarrowOneIsNoPartOfANetwork) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Network network{.nodes = 4, .rounds = ring(4, 50 * mb)};
    network.speed = [](auto from, auto, auto, auto&) {
      return from == 1 ? 20 * mb : from == 0 ? 300 * mb : 1e9;
    };
    const auto found = SimulatedNetwork(network, seed).run(in_time);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].from, 1U);
    EXPECT_EQ(found[0].to, 2U);
  }
}

TEST(SlowLinks, OfTwoNodesOneDirectionIsComparedWithTheOther) {
  Network network{.nodes = 2, .rounds = ring(2, 200 * mb)};
  network.speed = narrow(0, 1, 50 * mb);
  const auto found = SimulatedNetwork(network, 1).run(in_time);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].to, 1U);
  network.speed = [](auto, auto, auto, auto&) { return 50 * mb; };
  EXPECT_TRUE(SimulatedNetwork(network, 1).run(600).empty());
}

TEST(SlowLinks, ItIsNotNamedBelowThePercentageThatIsAskedFor) {
  Network network{.nodes = 4, .rounds = ring(4, 50 * mb), .compute = 1};
  network.speed = narrow(2, 3, 250 * mb);  // 0.3 s of 1.3 s, of which a quarter would be enough
  EXPECT_EQ(SimulatedNetwork(network, 1, {.percent = 10}).run(300).size(), 1U);
  EXPECT_TRUE(SimulatedNetwork(network, 1, {.percent = 25}).run(1 * hours).empty());
}

TEST(SlowLinks, ItIsOverOnceTheLinkIsFastAgain) {
  Network network{.nodes = 4, .rounds = ring(4, 200 * mb)};
  network.speed = [](auto from, auto, auto time, auto&) {
    return from == 1 && time < 200 ? 50 * mb : 1e9;
  };
  SimulatedNetwork run(network, 1);
  ASSERT_EQ(run.run(in_time).size(), 1U);
  EXPECT_EQ(run.links.look_again(run.nanoseconds_of(run.time)).size(), 1U);
  while (run.time < 300) run.run(300);
  EXPECT_TRUE(run.links.look_again(run.nanoseconds_of(run.time)).empty());
}

// Of several sizes and patterns.
void expect_nothing(const std::string& kind, const Network& usual, double bytes = 200 * mb,
                    double time = 5 * hours) {
  for (const std::size_t nodes : {2, 3, 4, 8}) {
    for (const bool is_ring : {true, false}) {
      if (!is_ring && nodes == 3) continue;
      auto network = usual;
      network.nodes = nodes;
      network.rounds = is_ring ? ring(nodes, bytes) : halving_doubling(nodes, bytes);
      SimulatedNetwork run(network, static_cast<std::uint32_t>(nodes));
      const auto found = run.run(time);
      EXPECT_TRUE(found.empty()) << kind << " on " << nodes << " nodes, ring " << is_ring
                                 << ", after " << run.time << " s: " << found[0].speed << " of "
                                 << found[0].others;
    }
  }
}

TEST(SlowLinks, NothingIsNamedInHoursOfHealthySteps) {
  expect_nothing("noise", {});
  expect_nothing("much noise", {.noise = 1});
  expect_nothing("many connections", {.connections = 16});
  expect_nothing("large", {.compute = 1}, 4000 * mb);
}

TEST(SlowLinks, NothingIsNamedForSmallMessages) {
  expect_nothing("far", {.compute = 0.1, .latency = 5e-3, .noise = 1}, 4e3, 0.5 * hours);
  expect_nothing("near", {.compute = 0.01, .noise = 1}, 60e3, 0.2 * hours);
}

// Switches and NICs differ, and the nodes of a rack are nearer to each other.
TEST(SlowLinks, NothingIsNamedForLinksThatDifferBySomething) {
  Network network;
  network.speed = [](auto from, auto to, auto, auto&) {
    return from / 2 == to / 2 ? 1.3e9 : 0.8e9;
  };
  expect_nothing("racks", network);
}

// Another job shares the network now and then.
TEST(SlowLinks, NothingIsNamedForAnotherJobsTraffic) {
  Network network;
  network.speed = [](auto from, auto, auto time, auto&) {
    const auto period = std::fmod(time, 600);
    const auto node = static_cast<std::size_t>(time / 600) % 4;
    return from == node && period < 35 ? 2e8 : 1e9;
  };
  expect_nothing("another job", network);
}

TEST(SlowLinks, NothingIsNamedForARetransmissionNowAndThen) {
  Network network{.compute = 0.5};
  network.speed = [](auto, auto, auto, auto& random) {
    return std::uniform_real_distribution(0.0, 1.0)(random) < 0.002 ? 5e7 : 1e9;
  };
  network.repeated = [](auto, auto) { return 0.002; };
  expect_nothing("hiccups", network);
}

// A pipeline's activations beside the gradients of its replicas.
TEST(SlowLinks, ALinkIsComparedOnlyWithThoseThatCarryAboutAsMuch) {
  Network network{.nodes = 4, .rounds = ring(4, 2000 * mb), .compute = 0.1};
  for (int i = 0; i < 200; ++i) network.rounds.push_back({{0, 2, 100e3}, {2, 0, 100e3}});
  network.latency = 300e-6;
  SimulatedNetwork run(network, 1);
  EXPECT_TRUE(run.run(1 * hours).empty());
}

TEST(SlowLinks, AServerThatIsNoNodeOfTheStepIsNoLink) {
  Network network{.nodes = 4, .rounds = ring(4, 200 * mb)};
  SimulatedNetwork run(network, 1);
  Connection server{.id = 7, .from = address_of_node(1), .to = address_of_node(77)};
  server.bytes = 5'000'000;
  server.busy = std::chrono::milliseconds(950);
  server.waiting = 1'000'000;
  run.also(1, server);
  EXPECT_TRUE(run.run(1 * hours).empty());
}

// Such as that of a bridge for containers.
TEST(SlowLinks, AnAddressOfSeveralNodesIsNoLink) {
  Network network{.nodes = 4, .rounds = ring(4, 200 * mb)};
  const auto run_with = [&](bool is_on_two_nodes) {
    SimulatedNetwork run(network, 1);
    Connection there{.id = 8, .from = address_of_node(99), .to = address_of_node(2)};
    run.also(3, there);
    if (is_on_two_nodes) run.also(0, there);
    Connection slow{.id = 7, .from = address_of_node(1), .to = address_of_node(99)};
    slow.bytes = 80'000'000;
    slow.busy = std::chrono::milliseconds(950);
    slow.waiting = 1'000'000;
    run.also(1, slow);
    return run.run(600);
  };
  ASSERT_EQ(run_with(false).size(), 1U);
  EXPECT_TRUE(run_with(true).empty());
}

// The receiver does not read: it, or its GPU, is slow, and not the link.
TEST(SlowLinks, TimeForWhichTheReceiverHasNoRoomDoesNotCount) {
  Network network{.nodes = 4, .rounds = ring(4, 200 * mb)};
  const auto run_with = [&](std::chrono::milliseconds full) {
    SimulatedNetwork run(network, 1);
    Connection slow{.id = 7, .from = address_of_node(1), .to = address_of_node(3)};
    slow.bytes = 80'000'000;
    slow.busy = std::chrono::milliseconds(950);
    slow.receiver_full = full;
    slow.waiting = 1'000'000;
    run.also(1, slow);
    return run.run(600);
  };
  ASSERT_EQ(run_with(std::chrono::milliseconds(0)).size(), 1U);
  EXPECT_TRUE(run_with(std::chrono::milliseconds(900)).empty());
}

TEST(SlowLinks, ItKnowsOnceItHasSeenAWindow) {
  Network network{.nodes = 4, .rounds = ring(4, 200 * mb)};
  SimulatedNetwork run(network, 1);
  using std::chrono::seconds;
  EXPECT_TRUE(run.links.would_know(seconds(0), seconds(1)));  // there is no traffic
  run.run(30);
  EXPECT_FALSE(run.links.would_know(seconds(0), seconds(100)));
  EXPECT_TRUE(run.links.would_know(seconds(0), seconds(150)));
  EXPECT_FALSE(run.links.would_know(seconds(140), seconds(150)));
}

TEST(SlowLinks, ANodeTellsTheBusiestOfManyAddresses) {
  NodeTraffic node;
  for (int look = 0; look < 2; ++look) {
    std::vector<Connection> connections;
    for (std::size_t i = 0; i < 2 * max_flows; ++i) {
      Connection each{.id = i, .from = address_of_node(0), .to = address_of_node(i + 1)};
      each.to.bytes[14] = static_cast<unsigned char>(i / 250);
      each.bytes = static_cast<std::uint64_t>(look) * 1000;
      each.busy = std::chrono::microseconds(look * i);
      connections.push_back(each);
    }
    node.look(connections);
  }
  const auto traffic = node.take();
  ASSERT_TRUE(traffic);
  ASSERT_EQ(traffic->flows.size(), max_flows);
  EXPECT_EQ(traffic->flows[0].most, std::chrono::microseconds(2 * max_flows - 1));
  EXPECT_EQ(traffic->own, std::vector<Address>{address_of_node(0)});
}

TEST(SlowLinks, ConnectionsWithinTheNodeAreLeftOut) {
  NodeTraffic node;
  Address loopback;
  loopback.bytes.back() = 1;
  for (std::uint64_t look = 0; look < 2; ++look) {
    const auto bytes = look * 1000;
    node.look({{.id = 1, .from = address_of_node(0), .to = address_of_node(0), .bytes = bytes},
               {.id = 2, .from = loopback, .to = loopback, .bytes = bytes}});
  }
  EXPECT_FALSE(node.take());
}

}  // namespace
}  // namespace muster::slow
