#include "core/text/range.hpp"

#include <gtest/gtest.h>

namespace muster::text {
namespace {

TEST(RangeText, IsOneNumberWhereThereIsOnlyOne) {
  EXPECT_EQ(range_text(4, 11), "4-11");
  EXPECT_EQ(range_text(4, 4), "4");
}

}  // namespace
}  // namespace muster::text
