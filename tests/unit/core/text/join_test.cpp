#include "core/text/join.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::text {
namespace {

TEST(Join, PutsTheSeparatorOnlyBetweenItems) {
  EXPECT_EQ(join(std::vector<std::string>{"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(join(std::vector<std::string_view>{"a"}, ", "), "a");
  EXPECT_EQ(join(std::set<std::string>{}, ", "), "");
}

TEST(Join, WritesNumbersInDecimal) {
  EXPECT_EQ(join(std::vector<std::uint32_t>{0, 10}, ","), "0,10");
  EXPECT_EQ(join(std::vector<std::uint64_t>{18446744073709551615U}, ","), "18446744073709551615");
}

}  // namespace
}  // namespace muster::text
