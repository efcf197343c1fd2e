#include "core/text/list.hpp"

#include <set>
#include <string>
#include <string_view>
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

using Parts = std::vector<std::string_view>;

TEST(Split, GivesThePartsBetweenSeparators) {
  EXPECT_EQ(split("a+b+c", '+'), (Parts{"a", "b", "c"}));
  EXPECT_EQ(split("a,b", '+'), Parts{"a,b"});
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("", ','), Parts{""});
  EXPECT_EQ(split(",a,", ','), (Parts{"", "a", ""}));
}

TEST(RangeText, IsOneNumberWhereThereIsOnlyOne) {
  EXPECT_EQ(range_text(4, 11), "4-11");
  EXPECT_EQ(range_text(4, 4), "4");
}

}  // namespace
}  // namespace muster::text
