#include "core/text/wrap.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::text {
namespace {

using Lines = std::vector<std::string>;

TEST(Wrapped, HasAsManyWordsInALineAsFit) {
  EXPECT_EQ(wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three", 80), Lines{"one two three"});
  EXPECT_EQ(wrapped("  one   two ", 80), Lines{"one two"});
  EXPECT_EQ(wrapped("", 80), Lines{});
}

TEST(Wrapped, DividesNoWord) {
  EXPECT_EQ(wrapped("a considerable b", 3), (Lines{"a", "considerable", "b"}));
}

TEST(Definition, BeginsTheMeaningAtItsColumn) {
  EXPECT_EQ(definition("smt=on|off", "off: one thread", 14, 80), "  smt=on|off  off: one thread\n");
  EXPECT_EQ(definition("smt=on|off", "word word word word word word word word word", 14, 50),
            "  smt=on|off  word word word word word word word\n              word word\n");
}

TEST(Definition, IsBelowALongTermAndInNarrowLines) {
  EXPECT_EQ(definition("smt=on|off", "off", 12, 80), "  smt=on|off\n            off\n");
  EXPECT_EQ(definition("smt=on|off", "off: one thread", 24, 20),
            "  smt=on|off\n      off: one\n      thread\n");
}

}  // namespace
}  // namespace muster::text
