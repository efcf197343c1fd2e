#include "core/text/amounts.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace muster::text {
namespace {

using namespace std::chrono_literals;

TEST(AmountsTest, ACountHasAPluralUnlessItIsOne) {
  EXPECT_EQ(count(0, "node"), "0 nodes");
  EXPECT_EQ(count(1, "node"), "1 node");
  EXPECT_EQ(count(3, "more rank"), "3 more ranks");
}

TEST(AmountsTest, ADurationHasTwoUnitsAtMostAndNeverSixtyOfTheSmallerOne) {
  EXPECT_EQ(duration(0ms), "0 ms");
  EXPECT_EQ(duration(250ms), "250 ms");
  EXPECT_EQ(duration(999'600us), "1.0 s");
  EXPECT_EQ(duration(12'300ms), "12.3 s");
  EXPECT_EQ(duration(59'940ms), "59.9 s");
  EXPECT_EQ(duration(59'960ms), "1 min");
  EXPECT_EQ(duration(123s), "2 min 3 s");
  EXPECT_EQ(duration(3'599'700ms), "1 h");
  EXPECT_EQ(duration(3h + 12min + 20s), "3 h 12 min");
  EXPECT_EQ(duration(23h + 59min + 40s), "1 d");
  EXPECT_EQ(duration(51h), "2 d 3 h");
  EXPECT_EQ(duration(-1500ms), "-1.5 s");
}

TEST(AmountsTest, SizesCountIn1024s) {
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(812), "812 B");
  EXPECT_EQ(bytes(1024), "1.0 KiB");
  EXPECT_EQ(bytes((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(bytes(12'300'000'000), "11.5 GiB");
  EXPECT_EQ(bytes(UINT64_MAX), "16.0 EiB");
}

TEST(AmountsTest, NeighboursAreARangeAndALongListIsCut) {
  const std::vector<std::uint32_t> some{0, 1, 2, 5, 7, 7, 8};
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges(some), "0-2,5,7-8");
  EXPECT_EQ(ranges_within(some, 10), "0-2,5,...");
  EXPECT_EQ(ranges_within(std::set<std::uint32_t>(some.begin(), some.end()), 8), "0-2,...");
  EXPECT_EQ(ranks(some, ", "), "ranks 0-2, 5, 7-8");
  EXPECT_EQ(ranks(std::vector<std::uint32_t>{3}), "rank 3");
}

}  // namespace
}  // namespace muster::text
