#include "launcher/os/interfaces.hpp"

#include "core/contains.hpp"
#include "fixtures/expect_error.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::os {
namespace {

using asio::ip::make_address;
using std::chrono::seconds;

const std::vector<Interface> node{{"lo", make_address("127.0.0.1")},
                                  {"eth0", make_address("2001:db8::1")},
                                  {"eth0", make_address("10.0.0.1")},
                                  {"ib0", make_address("10.1.0.1")},
                                  {"ib1", make_address("10.2.0.1")}};

TEST(Network, HasLoopback) {
  EXPECT_EQ(interface_with(interfaces(), make_address("127.0.0.1")), "lo");
  EXPECT_EQ(interface_towards(interfaces(), make_address("127.0.0.1")), "lo");
  EXPECT_EQ(source_towards(make_address("127.0.0.1")), make_address("127.0.0.1"));
  EXPECT_TRUE(contains(interface_names(), "lo"));
}

TEST(Network, LeavesLinkLocalAddressesOut) {
  for (const auto& each : interfaces()) {
    EXPECT_FALSE(each.address.is_v6() && each.address.to_v6().is_link_local()) << each.name;
  }
}

TEST(Network, FindsAnInterfaceByItsAddress) {
  EXPECT_EQ(interface_with(node, make_address("10.1.0.1")), "ib0");
  EXPECT_EQ(interface_with(node, make_address("10.9.0.1")), "");
}

TEST(Network, TakesTheFirstPatternThatAnyInterfaceMatches) {
  EXPECT_EQ(matching(node, {"ib*"})->name, "ib0");
  EXPECT_EQ(matching(node, {"hsn*", "ib1", "ib0"})->name, "ib1");
  EXPECT_EQ(matching(node, {"[el]th?"})->name, "eth0");
  EXPECT_FALSE(matching(node, {"hsn*"}));
  EXPECT_FALSE(matching(node, {"eth"}));
  EXPECT_FALSE(matching(node, {}));
}

TEST(Network, PrefersIpVersion4OnOneInterface) {
  EXPECT_EQ(matching(node, {"eth0"})->address, make_address("10.0.0.1"));
  EXPECT_EQ(matching(node, {"*"})->name, "lo");
}

TEST(Network, NamesEachInterfaceOnce) {
  EXPECT_EQ(names_of(node), "eth0, ib0, ib1, lo");
  EXPECT_EQ(names_of({}), "");
}

TEST(Resolve, TakesNumbersAsTheyAre) {
  EXPECT_EQ(resolve("10.0.0.1", seconds{0}), make_address("10.0.0.1"));
  EXPECT_EQ(resolve("::1", seconds{0}), make_address("::1"));
}

TEST(Resolve, SaysWhichNameItCannotResolve) {
  // The label is too long for any resolver to query.
  const std::string name(70, 'x');
  const auto text = fixtures::error_of([&] { resolve(name, seconds{20}); });
  EXPECT_NE(text.find(name), std::string::npos);
  EXPECT_TRUE(fixtures::is_one_line(text));
}

}  // namespace
}  // namespace muster::os
