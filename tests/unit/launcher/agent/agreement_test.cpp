#include "launcher/agent/agreement.hpp"

#include "made_up_step.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

asio::ip::address at(const std::string& text) {
  return asio::ip::make_address(text);
}

PreparedNode prepared() {
  PreparedNode node{.interfaces = {{"lo", at("127.0.0.1")}, {"eth0", at("10.0.0.1")}},
                    .setup = NodeSetup{},
                    .ports = {},
                    .failure = {}};
  node.setup->resources.warnings = {"no GPU driver"};
  node.ports.exchange_port = 61001;
  return node;
}

TEST(Agreement, OfANodeThatIsAloneIsItsOwn) {
  auto node = prepared();
  node.ports.rendezvous = port::hold_any({29871, 29872, 29873, 29874});
  ASSERT_TRUE(node.ports.rendezvous);
  const auto port = node.ports.rendezvous->port();
  const auto agreement = agree(made_up_step({"node1"}, 0), std::move(node));
  EXPECT_EQ(agreement.rendezvous.address, "10.0.0.1");
  EXPECT_EQ(agreement.rendezvous.port, port);
  EXPECT_EQ(agreement.network.interface, "eth0");
  EXPECT_EQ(agreement.network.address, "10.0.0.1");
  EXPECT_EQ(agreement.exchange, 61001);
  EXPECT_EQ(agreement.warnings, std::vector<std::string>{"node1: no GPU driver"});
  ASSERT_TRUE(agreement.ports.rendezvous);
  EXPECT_EQ(agreement.ports.rendezvous->port(), port);
}

bool replaces_address(std::uint32_t attempt, std::optional<GroupNumber> group,
                      rendezvous::Leads leads = rendezvous::Leads::elsewhere) {
  auto context = made_up_step({"node1"}, 0);
  context.attempt.number = attempt;
  context.attempt.group = group;
  auto node = prepared();
  node.exported = {{.name = "MASTER_ADDR", .value = "node9", .leads = leads}};
  return agree(context, std::move(node)).replaces_exported;
}

TEST(Agreement, ReplacesAnExportedAddressOnlyWhereMusterHasChosenTheNodes) {
  EXPECT_FALSE(replaces_address(0, {}));
  EXPECT_TRUE(replaces_address(1, {}));
  EXPECT_FALSE(replaces_address(1, {}, rendezvous::Leads::to_rank_0));
  EXPECT_FALSE(replaces_address(0, GroupNumber{0, 1}));
  EXPECT_TRUE(replaces_address(0, GroupNumber{1, 2}));
}

TEST(Agreement, OfNodesThatCannotMeetIsWhatAllForesee) {
  const auto context = made_up_step({"node1", "node2"}, 1);
  ASSERT_FALSE(context.can_meet_others());
  const auto agreement = agree(context, prepared());
  EXPECT_EQ(agreement.rendezvous.address, "10.0.0.1");
  EXPECT_EQ(agreement.rendezvous.port, 20001);
  EXPECT_EQ(agreement.exchange, 61001);
}

}  // namespace
}  // namespace muster::agent
