#include "core/text/split.hpp"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace muster::text {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Split, GivesThePartsBetweenSeparators) {
  EXPECT_EQ(split("a+b+c", '+'), (Parts{"a", "b", "c"}));
  EXPECT_EQ(split("a,b", '+'), Parts{"a,b"});
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("", ','), Parts{""});
  EXPECT_EQ(split(",a,", ','), (Parts{"", "a", ""}));
}

}  // namespace
}  // namespace muster::text
