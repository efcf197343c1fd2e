#include "spank/one_line.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::spank {
namespace {

TEST(OneLine, KeepsWhatReadersCanRead) {
  for (const auto* const text :
       {"", "node1: no such network", "Zo\xC3\xAB \xE2\x82\xAC \xF0\x9F\x98\x80"}) {
    EXPECT_EQ(one_line(text), text);
  }
}

TEST(OneLine, ShowsWhatATerminalOrALogWouldActOn) {
  EXPECT_EQ(one_line("a\nb\r\t\x1B[31m\x7F"), "a\\x0ab\\x0d\\x09\\x1b[31m\\x7f");
  EXPECT_EQ(one_line(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(one_line("\xC2\x9B"
                     "31m"),
            "\\xc2\\x9b31m");                           // C1
  EXPECT_EQ(one_line("\xE0\x82\x9B \xF0\x80\x82\x9B"),  // the same character, encoded too long
            "\\xe0\\x82\\x9b \\xf0\\x80\\x82\\x9b");
}

TEST(OneLine, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(one_line("\x9B \xFF \xC3( \xC3"), "\\x9b \\xff \\xc3( \\xc3");
  EXPECT_EQ(one_line("\xE2\x82"), "\\xe2\\x82");
}

TEST(OneLine, IsCutWhereItIsLong) {
  EXPECT_EQ(one_line(std::string(1024, 'x')), std::string(1024, 'x'));
  EXPECT_EQ(one_line(std::string(1025, 'x')), std::string(1024, 'x') + "...");
  EXPECT_LT(one_line(std::string(1 << 20, '\n')).size(), 1040U);
}

}  // namespace
}  // namespace muster::spank
