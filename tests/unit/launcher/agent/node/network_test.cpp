#include "launcher/agent/node/network.hpp"

#include "core/request/request.hpp"

#include <gtest/gtest.h>

namespace muster::node {
namespace {

using asio::ip::make_address;

NetworkFacts facts(const std::string& own) {
  return {.interfaces = {{"lo", make_address("127.0.0.1")},
                         {"lo", make_address("10.8.0.2")},
                         {"eth0", make_address("fd00::2")},
                         {"eth0", make_address("192.168.0.2")},
                         {"eth0", make_address("10.9.0.2")},
                         {"bond0", make_address("10.0.0.2")},
                         {"bond1", make_address("10.1.0.2")}},
          .names = {"lo", "eth0", "bond0", "bond0.2973", "bond1"},
          .master = make_address(own.find(':') == std::string::npos ? "10.0.0.1" : "fd00::1"),
          .own = make_address(own)};
}

plan::NodeNetwork network(const NetworkFacts& known, const std::string& chosen = {}) {
  request::Request request;
  if (chosen.empty()) return node_network(known, request, std::nullopt);
  request.network = {chosen};
  return node_network(known, request, chosen_interface(known.interfaces, request, "node2"));
}

TEST(NodeNetwork, HasTheAddressThatTheOtherNodesSee) {
  const auto second = network(facts("10.9.0.2"));
  EXPECT_EQ(second.interface, "eth0");
  EXPECT_EQ(second.address, "10.9.0.2");
  EXPECT_TRUE(second.has_other_first_address);
  const auto first = network(facts("192.168.0.2"));
  EXPECT_EQ(first.address, "192.168.0.2");
  EXPECT_FALSE(first.has_other_first_address);
  EXPECT_FALSE(network(facts("fd00::2")).has_other_first_address) << "the first of its version";
}

// A node whose address is routed to it, over several links, may have it on its loopback interface.
TEST(NodeNetwork, OnLoopbackIsNotItsFirstAddress) {
  const auto routed = network(facts("10.8.0.2"));
  EXPECT_EQ(routed.address, "10.8.0.2");
  EXPECT_TRUE(routed.has_other_first_address);
  EXPECT_FALSE(network(facts("127.0.0.1")).has_other_first_address);
}

TEST(NodeNetwork, KnowsWhetherItsNameIsTheBeginningOfAnother) {
  EXPECT_TRUE(network(facts("10.0.0.2")).is_prefix);
  EXPECT_FALSE(network(facts("10.1.0.2")).is_prefix);
}

TEST(NodeNetwork, IsTheChosenOneUnlessTheKernelsChoiceMatchesToo) {
  const auto overruled = network(facts("10.9.0.2"), "bond1");
  EXPECT_EQ(overruled.interface, "bond1");
  EXPECT_EQ(overruled.address, "10.1.0.2");
  EXPECT_FALSE(overruled.has_other_first_address);
  const auto kernels = network(facts("10.1.0.2"), "bond*");
  EXPECT_EQ(kernels.interface, "bond1");
  const auto second = network(facts("10.9.0.2"), "eth0");
  EXPECT_EQ(second.address, "10.9.0.2");
  EXPECT_FALSE(second.has_other_first_address) << "whoever names the interface wants it";
}

TEST(NodeNetwork, IsUnknownWithoutARoute) {
  auto known = facts("10.0.0.2");
  known.own.reset();
  EXPECT_EQ(network(known).interface, "");
  EXPECT_EQ(network(known).address, "");
  EXPECT_EQ(network(known, "bond0").address, "10.0.0.2");
  known.own = make_address("10.77.0.1");
  EXPECT_EQ(network(known).interface, "");
}

TEST(NodeNetwork, FactsOfTheHostAreWhereTheRanksMeet) {
  const auto host = network_facts(os::interfaces(), make_address("10.0.0.1"), true);
  EXPECT_EQ(host.own, make_address("10.0.0.1"));
  const auto member = network_facts(os::interfaces(), make_address("127.0.0.1"), false);
  EXPECT_EQ(member.own, make_address("127.0.0.1"));
}

}  // namespace
}  // namespace muster::node
