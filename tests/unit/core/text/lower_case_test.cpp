#include "core/text/lower_case.hpp"

#include <gtest/gtest.h>

namespace muster::text {
namespace {

TEST(LowerCase, ChangesAsciiLettersOnly) {
  EXPECT_EQ(in_lower_case("CUDA Error 7: [Z@]"), "cuda error 7: [z@]");
  EXPECT_EQ(in_lower_case("\u00c4\xff"), "\u00c4\xff");
  EXPECT_EQ(in_lower_case(""), "");
}

}  // namespace
}  // namespace muster::text
