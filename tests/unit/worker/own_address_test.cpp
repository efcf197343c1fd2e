#include "worker/own_address.hpp"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

namespace muster::worker {
namespace {

const std::vector<Interface> node{
    {"lo", "127.0.0.1", true}, {"docker0", "172.17.0.1"}, {"eth0", "fd00::7"}, {"eth0", "10.0.0.7"},
    {"ib0", "192.168.5.7"},    {"ib01", "192.168.6.7"},   {"eth1", "10.1.0.7"}};

std::string chosen_address(const Environment::Map& variables, const AddressClues& clues = {}) {
  return choose_address([] { return node; }, Environment{variables}, clues);
}

TEST(OwnAddress, IsOnTheNetworkThatTheLauncherChose) {
  EXPECT_EQ(chosen_address({{"NCCL_SOCKET_IFNAME", "eth1"}}), "10.1.0.7");
  EXPECT_EQ(chosen_address({{"GLOO_SOCKET_IFNAME", "ib0"}}), "192.168.5.7");
  EXPECT_EQ(chosen_address({{"NCCL_SOCKET_IFNAME", "ib0"}, {"GLOO_SOCKET_IFNAME", "eth1"}}),
            "192.168.5.7");
}

TEST(OwnAddress, ReadsTheInterfacesAsNcclDoes) {
  EXPECT_EQ(chosen_address({{"NCCL_SOCKET_IFNAME", "en,ib"}}), "192.168.5.7");
  EXPECT_EQ(chosen_address({{"NCCL_SOCKET_IFNAME", "=ib01"}}), "192.168.6.7");
  EXPECT_EQ(chosen_address({{"NCCL_SOCKET_IFNAME", "^docker,eth"}}), "192.168.5.7");
  EXPECT_EQ(chosen_address({{"NCCL_SOCKET_IFNAME", "lo"}}), "127.0.0.1") << "asked for by name";
}

TEST(OwnAddress, GoesOnWhereNoInterfaceIsMeant) {
  EXPECT_EQ(chosen_address({{"NCCL_SOCKET_IFNAME", "hsn"}}, {.towards_rank_0 = "10.1.0.7"}),
            "10.1.0.7");
}

TEST(OwnAddress, HasTheFamilyByWhichRank0IsReached) {
  const Environment::Map eth0{{"NCCL_SOCKET_IFNAME", "eth0"}};
  EXPECT_EQ(chosen_address(eth0), "10.0.0.7");
  EXPECT_EQ(chosen_address(eth0, {.towards_rank_0 = "fd00::7"}), "fd00::7");
}

TEST(OwnAddress, IsElseWherePacketsToRank0Leave) {
  EXPECT_EQ(chosen_address({}, {.towards_rank_0 = "10.1.0.7", .of_node_name = {"10.0.0.7"}}),
            "10.1.0.7");
}

TEST(OwnAddress, AsksForTheInterfacesOnlyWhereItMust) {
  const auto never = []() -> std::vector<Interface> { throw std::logic_error("asked"); };
  const Environment named{{{"NCCL_SOCKET_IFNAME", "eth1"}}};
  EXPECT_EQ(choose_address(never, named, {.of_named_interface = "10.1.0.7"}), "10.1.0.7");
  EXPECT_EQ(choose_address(never, Environment{}, {.towards_rank_0 = "10.1.0.7"}), "10.1.0.7");
  EXPECT_EQ(choose_address(never, Environment{}, {.of_node_name = {"10.0.0.7"}}), "10.0.0.7");
}

TEST(OwnAddress, OfAnInterfaceThatIsNamedIsItsFirst) {
  EXPECT_EQ(own_address(Environment{{{"NCCL_SOCKET_IFNAME", "lo"}}}), "127.0.0.1");
  EXPECT_NE(own_address(Environment{{{"NCCL_SOCKET_IFNAME", "nosuch0"}}}), "");
}

TEST(OwnAddress, IsElseThatOfTheNodesName) {
  EXPECT_EQ(chosen_address({}, {.of_node_name = {"10.0.0.7"}}), "10.0.0.7");
  EXPECT_EQ(chosen_address({}, {.towards_rank_0 = "127.0.0.1", .of_node_name = {"10.0.0.7"}}),
            "10.0.0.7");
}

TEST(OwnAddress, IsElseTheFirstThatIsNotLoopback) {
  const auto only_loopback = [] { return std::vector<Interface>{{"lo", "127.0.0.1", true}}; };
  EXPECT_EQ(chosen_address({}), "172.17.0.1");
  EXPECT_EQ(choose_address(only_loopback, Environment{}, {}), "127.0.0.1");
  EXPECT_EQ(choose_address([] { return std::vector<Interface>(); }, Environment{}, {}),
            "127.0.0.1");
}

TEST(OwnAddress, FindsAWholeNameInTheHostsFile) {
  const auto* const hosts =
      "127.0.0.1 localhost\n# 10.0.0.1 n7\n10.0.0.7\tn7.site n7 # n8\nfd00::7 n7\n10.0.0.8 n77\n";
  EXPECT_EQ(addresses_in_hosts(hosts, "n7"), (std::vector<std::string>{"10.0.0.7", "fd00::7"}));
  EXPECT_TRUE(addresses_in_hosts(hosts, "n8").empty());
  EXPECT_TRUE(addresses_in_hosts("", "n7").empty());
}

TEST(OwnAddress, OfThisMachineIsOneOfItsInterfaces) {
  const auto address = own_address(Environment{});
  const auto all = interfaces();
  EXPECT_TRUE(address == "127.0.0.1" ||
              std::any_of(all.begin(), all.end(),
                          [&](const Interface& each) { return each.address == address; }))
      << address;
}

}  // namespace
}  // namespace muster::worker
