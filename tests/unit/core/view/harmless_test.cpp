#include "core/view/harmless.hpp"

#include "core/text/quote.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace muster::view {
namespace {

TEST(Harmless, LeavesTextAndTabsAsTheyAre) {
  for (const std::string line : {"", "loss: 0.1\tstep 7", "K\xC3\xB6ln \xE2\x82\xAC"}) {
    EXPECT_EQ(harmless(line), line);
  }
}

TEST(Harmless, LeavesColoursAndEndsThem) {
  EXPECT_EQ(harmless("\x1b[1;31mred\x1b[0m plain"), "\x1b[1;31mred\x1b[0m plain\x1b[0m");
}

TEST(Harmless, ShowsWhatWouldActOnATerminal) {
  EXPECT_EQ(harmless("a\x1b[2Jb"), "a\\x1b[2Jb");  // clears the screen
  EXPECT_EQ(harmless("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(harmless("\x1b[31"), "\\x1b[31");  // a colour that is not terminated
  EXPECT_EQ(harmless("\xC2\x9B"
                     "2J"),
            "\\xc2\\x9b"
            "2J");  // C1: the same as ESC [
  EXPECT_EQ(harmless("\xFF\x01"), "\\xff\\x01");
  EXPECT_EQ(harmless("a\rb"),
            "a\\x0d"
            "b");
}

TEST(Harmless, LeavesNoControlCharacterOfAnyBytes) {
  std::mt19937 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  constexpr std::string_view frequent = "\x1b[0123;m\t\xC2\x9B";
  for (int round = 0; round < 3000; ++round) {
    std::string line;
    for (auto count = random() % 40; count > 0; --count) {
      line +=
          random() % 2 == 0 ? frequent[random() % frequent.size()] : static_cast<char>(random());
    }
    auto shown = harmless(line);
    ASSERT_TRUE(text::is_utf8(shown));
    ASSERT_LE(shown.size(), 4 * line.size() + 4);
    for (auto escape = shown.find('\x1b'); escape != std::string::npos;
         escape = shown.find('\x1b', escape + 1)) {
      const auto end = shown.find_first_not_of("0123456789;:", escape + 2);
      ASSERT_EQ(shown.substr(escape, 2), "\x1b[");
      ASSERT_NE(end, std::string::npos);
      ASSERT_EQ(shown[end], 'm');
      shown[escape] = ' ';
    }
    std::ranges::replace(shown, '\t', ' ');
    ASSERT_EQ(text::printable_path(shown), shown);
  }
}

}  // namespace
}  // namespace muster::view
