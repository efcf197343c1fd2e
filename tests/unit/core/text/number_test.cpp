#include "core/text/number.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace muster::text {
namespace {

TEST(Number, IsTheWholeText) {
  EXPECT_EQ(number<unsigned>("0"), 0U);
  EXPECT_EQ(number<std::uint64_t>("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(number<int>("-7"), -7);
}

TEST(Number, IsNothingForAnyOtherText) {
  for (const auto* const text : {"", " 1", "1 ", "+1", "0x1", "1.5", "one", "-1", "4294967296"}) {
    EXPECT_EQ(number<std::uint32_t>(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace muster::text
