#include "launcher/rendezvous/addresses.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

asio::ip::address at(const std::string& text) {
  return asio::ip::make_address(text);
}

Addresses list(const std::vector<std::string>& texts) {
  Addresses all;
  for (const auto& text : texts) all.push_back(at(text));
  return all;
}

std::vector<Interface> node() {
  return {{"lo", at("127.0.0.1")},
          {"eth0", at("10.0.0.1")},
          {"hsn0", at("fd00::1")},
          {"hsn0", at("10.1.0.1")},
          {"ib0", at("10.2.0.1")}};
}

TEST(NodeAddresses, BeginWithTheOneThatSlurmKnows) {
  const auto leader = node_addresses(node(), {}, at("10.2.0.1"));
  EXPECT_EQ(leader.ranks, list({"10.2.0.1", "10.0.0.1", "fd00::1", "10.1.0.1"}));
  EXPECT_EQ(leader.all, leader.ranks);
  EXPECT_FALSE(leader.chosen);
}

TEST(NodeAddresses, AreThoseOfTheChosenNetworkForTheRanks) {
  const auto leader = node_addresses(node(), {"ib*", "hsn*"}, at("10.0.0.1"));
  EXPECT_EQ(leader.ranks, list({"10.2.0.1", "10.1.0.1", "fd00::1"}));
  EXPECT_TRUE(leader.chosen);
  EXPECT_EQ(leader.all, list({"10.2.0.1", "10.1.0.1", "fd00::1", "10.0.0.1"}));
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
  std::vector<Interface> many;
  for (int i = 1; i < 100; ++i) many.push_back({"eth0", at("10.0.0." + std::to_string(i))});
  EXPECT_EQ(node_addresses(many, {}, std::nullopt).ranks.size(), max_addresses);
}

TEST(Offer, ComeBackAsTheyWere) {
  for (const std::optional<std::size_t> came : {std::optional<std::size_t>(), {1}}) {
    const auto read = offer_from_text(to_text(Offer{20001, list({"10.0.0.1", "fd00::1"}), came}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->port, 20001);
    EXPECT_EQ(read->addresses, list({"10.0.0.1", "fd00::1"}));
    EXPECT_EQ(read->came, came);
  }
}

TEST(Offer, AreNoneInATextThatCannotBe) {
  for (const auto* const text : {"", "x", "20001", "20001 0", "0 - 10.0.0.1", "70000 - 10.0.0.1",
                                 "20001 1 10.0.0.1", "20001 - leader", "20001 - 10.0.0.1 x"}) {
    EXPECT_FALSE(offer_from_text(text)) << text;
  }
}

TEST(CommonPlace, IsTheBestThatAllReach) {
  EXPECT_EQ(common_address(3, {{0}, {0}}), 0U);
  EXPECT_EQ(common_address(3, {{0, 1, 2}, {2, 1}}), 1U);
  EXPECT_EQ(common_address(3, {{0}, {1}}), std::nullopt);
  EXPECT_EQ(common_address(3, {{0}, {}}), std::nullopt);
}

}  // namespace
}  // namespace muster::agent
