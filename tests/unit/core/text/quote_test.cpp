#include "core/text/quote.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::text {
namespace {

TEST(Printable, LeavesPlainTextAndUtf8AsTheyAre) {
  EXPECT_EQ(printable("torch,bind=none"), "torch,bind=none");
  EXPECT_EQ(printable("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
}

TEST(Printable, EscapesWhatATerminalWouldActOn) {
  EXPECT_EQ(printable("a\nb"), "a\\x0ab");
  EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b");  // CSI as one C1 control character
}

TEST(Printable, CutsLongText) {
  EXPECT_EQ(printable(std::string(5000, 'x')), std::string(80, 'x') + "...");
}

TEST(PrintablePath, IsNotCut) {
  EXPECT_EQ(printable_path(std::string(5000, 'x')), std::string(5000, 'x'));
}

TEST(Printable, MakesOneLineOfUtf8FromAnything) {
  fixtures::RandomText random(1);
  for (int i = 0; i < 5000; ++i) {
    const std::string shown = printable("x" + random.bytes(60));
    ASSERT_TRUE(fixtures::is_one_line(shown));
    ASSERT_TRUE(is_utf8(shown));
  }
}

TEST(IsUtf8, RefusesOverlongFormsSurrogatesAndCutCharacters) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("\xF0\x9F\x90\xA7"));
  EXPECT_FALSE(is_utf8("\xC0\xAF"));
  EXPECT_FALSE(is_utf8("\xE0\x80\xAF"));
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));
  EXPECT_FALSE(is_utf8("\xE2\x82"));
}

}  // namespace
}  // namespace muster::text
