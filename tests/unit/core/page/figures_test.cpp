#include "core/page/figures.hpp"

#include <gtest/gtest.h>

namespace muster::page {
namespace {

using namespace std::chrono_literals;

TEST(Figures, HaveADecimalOfAShortTime) {
  EXPECT_EQ(short_duration(400us), "0.4 ms");
  EXPECT_EQ(short_duration(250ms), "250 ms");
  EXPECT_EQ(short_duration(123s), "2 min 3 s");
}

TEST(Figures, HaveTheTimeInUtc) {
  const auto time = std::chrono::sys_days(std::chrono::year(2026) / 2 / 3) + 4h + 5min + 6s + 700ms;
  EXPECT_EQ(date_text(time), "2026-02-03 04:05:06 UTC");
  EXPECT_EQ(clock_text(time), "04:05:06");
}

}  // namespace
}  // namespace muster::page
