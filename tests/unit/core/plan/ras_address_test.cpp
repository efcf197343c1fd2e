#include "core/plan/ras_address.hpp"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::plan {
namespace {

TEST(RasAddress, IsTheSameOnAllNodesAndAnotherForEachStepAndAttempt) {
  EXPECT_EQ(ras_address("42.0", 0), ras_address("42.0", 0));
  std::set<std::string> addresses;
  for (int step = 0; step < 1000; ++step) {
    for (const std::uint32_t attempt : {0U, 1U}) {
      addresses.insert(ras_address(fmt::format("4711.{}", step), attempt));
    }
  }
  EXPECT_GE(addresses.size(), 1998U);  // out of 16 million
}

TEST(RasAddress, IsALoopbackAddressThatNobodyElseUses) {
  for (int step = 0; step < 1000; ++step) {
    const auto address = ras_address(fmt::format("1.{}", step), 0);
    EXPECT_TRUE(address.starts_with("127.") && address.ends_with(":28028")) << address;
    EXPECT_FALSE(address.starts_with("127.0.") || address.find(".255:") != std::string::npos)
        << address;
  }
}

}  // namespace
}  // namespace muster::plan
