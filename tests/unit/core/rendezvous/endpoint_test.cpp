#include "core/rendezvous/endpoint.hpp"

#include <gtest/gtest.h>

namespace muster::rendezvous {
namespace {

TEST(EndpointText, HasBracketsAroundAnIpv6AddressOnly) {
  EXPECT_EQ(endpoint_text("10.0.0.1", 29500), "10.0.0.1:29500");
  EXPECT_EQ(endpoint_text("fd00::1", 29500), "[fd00::1]:29500");
  EXPECT_EQ(endpoint_text("node1", 29500), "node1:29500");
}

}  // namespace
}  // namespace muster::rendezvous
