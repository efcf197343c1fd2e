#include "core/text/base_name.hpp"

#include <gtest/gtest.h>

namespace muster::text {
namespace {

TEST(BaseName, IsWhatFollowsTheLastSlash) {
  EXPECT_EQ(base_name("/opt/venv/bin/torchrun"), "torchrun");
  EXPECT_EQ(base_name("torchrun"), "torchrun");
  EXPECT_EQ(base_name("bin/"), "");
  EXPECT_EQ(base_name(""), "");
}

}  // namespace
}  // namespace muster::text
