#include "core/page/figures.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::page {
namespace {

using namespace std::chrono_literals;

TEST(Figures, HaveTwoUnitsAtMost) {
  EXPECT_EQ(span_text(250ms), "250 ms");
  EXPECT_EQ(span_text(12300ms), "12.3 s");
  EXPECT_EQ(span_text(120s), "2 min");
  EXPECT_EQ(span_text(123s), "2 min 3 s");
  EXPECT_EQ(span_text(3h + 12min + 20s), "3 h 12 min");
  EXPECT_EQ(span_text(51h), "2 d 3 h");
}

TEST(Figures, HaveSizesInPowersOf1024) {
  EXPECT_EQ(size_text(0), "0");
  EXPECT_EQ(size_text(812), "812 B");
  EXPECT_EQ(size_text(1024), "1.0 KiB");
  EXPECT_EQ(size_text((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(size_text(UINT64_MAX), "16.0 EiB");
}

TEST(Figures, HaveTheTimeInUtc) {
  const auto time = std::chrono::sys_days(std::chrono::year(2026) / 2 / 3) + 4h + 5min + 6s + 700ms;
  EXPECT_EQ(date_text(time), "2026-02-03 04:05:06 UTC");
  EXPECT_EQ(clock_text(time), "04:05:06");
}

TEST(Figures, HaveRanksAsRanges) {
  EXPECT_EQ(named_ranks_text(std::vector<std::uint32_t>{0, 1, 2, 7}), "ranks 0-2, 7");
  EXPECT_EQ(named_ranks_text(std::vector<std::uint32_t>{7}), "rank 7");
}

}  // namespace
}  // namespace muster::page
