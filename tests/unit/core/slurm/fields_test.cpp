#include "core/slurm/fields.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

TEST(Field, IsTheFirstWordWithThatName) {
  EXPECT_EQ(field("A=1 BA=2 B=3 B=4\nC=5", "B"), "3");
  EXPECT_EQ(field("A=1\nC=5", "C"), "5");
  EXPECT_EQ(field("A=b=c", "A"), "b=c");
  EXPECT_EQ(field("A= B", "A"), "");
  EXPECT_EQ(field("AB=1 A", "A"), "");
  EXPECT_EQ(field("", "A"), "");
}

TEST(NumberIn, IsZeroWithoutANumber) {
  EXPECT_EQ(number_in("A=12 B=x", "A"), 12U);
  EXPECT_EQ(number_in("A=12 B=x", "B"), 0U);
  EXPECT_EQ(number_in("A=12 B=x", "C"), 0U);
}

TEST(WholeLines, EndWithTheLastEndOfALine) {
  EXPECT_EQ(whole_lines("a\nb\nc"), "a\nb\n");
  EXPECT_EQ(whole_lines("a"), "");
}

}  // namespace
}  // namespace muster::slurm
