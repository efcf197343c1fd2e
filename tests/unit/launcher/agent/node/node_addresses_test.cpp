#include "launcher/agent/node/node_addresses.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::node {
namespace {

asio::ip::address at(const std::string& text) {
  return asio::ip::make_address(text);
}

Addresses list(const std::vector<std::string>& texts) {
  Addresses all;
  for (const auto& text : texts) all.push_back(at(text));
  return all;
}

std::vector<os::Interface> node() {
  return {{"lo", at("127.0.0.1")},
          {"eth0", at("10.0.0.1")},
          {"hsn0", at("fd00::1")},
          {"hsn0", at("10.1.0.1")},
          {"ib0", at("10.2.0.1")}};
}

TEST(NodeAddresses, BeginWithTheOneThatSlurmKnows) {
  const auto host = node_addresses(node(), {}, at("10.2.0.1"));
  EXPECT_EQ(host.ranks, list({"10.2.0.1", "10.0.0.1", "fd00::1", "10.1.0.1"}));
  EXPECT_EQ(host.all, host.ranks);
  EXPECT_FALSE(host.chosen);
}

TEST(NodeAddresses, AreThoseOfTheChosenNetworkForTheRanks) {
  const auto host = node_addresses(node(), {"ib*", "hsn*"}, at("10.0.0.1"));
  EXPECT_EQ(host.ranks, list({"10.2.0.1", "10.1.0.1", "fd00::1"}));
  EXPECT_TRUE(host.chosen);
  EXPECT_EQ(host.all, list({"10.2.0.1", "10.1.0.1", "fd00::1", "10.0.0.1"}));
}

TEST(NodeAddresses, LeaveOutWhereTheNodesOwnNameLeadsOnlyItself) {
  const auto all = list({"10.0.0.1", "fd00::1", "10.1.0.1", "10.2.0.1"});
  for (const auto* const known : {"127.0.1.1", "127.0.0.1", "::1", "192.0.2.7"}) {
    EXPECT_EQ(node_addresses(node(), {}, at(known)).ranks, all) << known;
  }
  EXPECT_EQ(node_addresses(node(), {}, std::nullopt).ranks, all);
}

TEST(NodeAddresses, AreLoopbackWhereThereIsNothingElse) {
  EXPECT_EQ(node_addresses({{"lo", at("127.0.0.1")}}, {}, std::nullopt).ranks, list({"127.0.0.1"}));
}

TEST(NodeAddresses, AreFew) {
  std::vector<os::Interface> many;
  for (int i = 1; i < 100; ++i) many.push_back({"eth0", at("10.0.0." + std::to_string(i))});
  EXPECT_EQ(node_addresses(many, {}, std::nullopt).ranks.size(), max_node_addresses);
}

}  // namespace
}  // namespace muster::node
