#include "launcher/agent/rendezvous/addresses.hpp"

#include "fixtures/random_record.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::rendezvous {
namespace {

asio::ip::address at(const std::string& text) {
  return asio::ip::make_address(text);
}

node::Addresses list(const std::vector<std::string>& texts) {
  node::Addresses all;
  for (const auto& text : texts) all.push_back(at(text));
  return all;
}

TEST(Offer, ComesBackAsItWas) {
  for (const std::optional<std::size_t> came : {std::optional<std::size_t>(), {1}}) {
    const auto read = offer_from_text(to_text(Offer{20001, list({"10.0.0.1", "fd00::1"}), came}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->port, 20001);
    EXPECT_EQ(read->addresses, list({"10.0.0.1", "fd00::1"}));
    EXPECT_EQ(read->came, came);
  }
}

TEST(Offer, IsNothingWhereItCannotBe) {
  const auto all = list({"10.0.0.1"});
  for (const auto& offer : {Offer{0, all, {}}, Offer{20001, {}, {}}, Offer{20001, all, 1}})
    EXPECT_FALSE(offer_from_text(to_text(offer)));
  const auto text = to_text(Offer{20001, all, 0});
  auto named = text;
  named.replace(named.find("10.0.0.1"), 8, "leader-1");
  EXPECT_FALSE(offer_from_text(named));
}

TEST(Offer, IsRefusedFromAnotherVersion) {
  fixtures::expect_one_form<Offer>({"10.0.0.1", "fd00::1", "192.168.200.100"});
}

TEST(Offer, HasNoMoreAddressesThanANodeHas) {
  const node::Addresses many(node::max_node_addresses + 1, at("10.0.0.1"));
  const auto read = offer_from_text(to_text(Offer{20001, many, {}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->addresses.size(), node::max_node_addresses);
}

TEST(CommonPlace, IsTheBestThatAllReach) {
  EXPECT_EQ(common_address(3, {{0}, {0}}), 0U);
  EXPECT_EQ(common_address(3, {{0, 1, 2}, {2, 1}}), 1U);
  EXPECT_EQ(common_address(3, {{0}, {1}}), std::nullopt);
  EXPECT_EQ(common_address(3, {{0}, {}}), std::nullopt);
}

}  // namespace
}  // namespace muster::rendezvous
