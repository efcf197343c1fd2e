#include "worker/tcp/address_counts.hpp"

#include <gtest/gtest.h>

namespace muster::worker::tcp {
namespace {

TEST(TcpAddressCounts, NameOneConnection) {
  AddressCounts counts;
  counts.add("10.0.0.7");
  EXPECT_EQ(counts.text("refused"), "1 connection was refused (from 10.0.0.7)");
}

TEST(TcpAddressCounts, NameTheAddressesWithMostConnectionsFirst) {
  AddressCounts counts;
  for (int i = 0; i < 6; ++i) {
    for (int connections = 0; connections <= i; ++connections)
      counts.add("10.0.0." + std::to_string(i));
  }
  EXPECT_EQ(
      counts.text("refused"),
      "21 connections were refused (6 from 10.0.0.5, 5 from 10.0.0.4, 4 from 10.0.0.3, 3 from "
      "10.0.0.2, 3 from others)");
}

TEST(TcpAddressCounts, StayShortHoweverManyAddressesThereAre) {
  AddressCounts counts;
  for (int i = 0; i < 100'000; ++i) counts.add("10.0.0." + std::to_string(i));
  EXPECT_EQ(counts.total(), 100'000U);
  EXPECT_LT(counts.text("refused").size(), 200U);
}

}  // namespace
}  // namespace muster::worker::tcp
