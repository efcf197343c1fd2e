#include "core/page/markup.hpp"

#include "fixtures/random_text.hpp"
#include "fixtures/well_formed.hpp"

#include <gtest/gtest.h>

namespace muster::page {
namespace {

TEST(Markup, EscapesWhatMeansSomethingInAPage) {
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
}

TEST(Markup, ShowsBytesThatAreNoTextAsTheyAre) {
  EXPECT_EQ(escaped("\x1b[2J\xff\n"), "\\x1b[2J\\xff\\x0a");
  EXPECT_EQ(escaped("\u00e9\u4e2d"), "\u00e9\u4e2d");
}

TEST(Markup, ShowsWhatTurnsTheTextAround) {
  EXPECT_EQ(escaped("a\u202eb"), "a\\xe2\\x80\\xaeb");
  EXPECT_EQ(escaped("\uffff"), "\\xef\\xbf\\xbf");
}

TEST(Markup, KeepsLinesAndTabsOfABlockAndLeavesColoursOut) {
  EXPECT_EQ(escaped_block("\x1b[1;31mred\x1b[0m\n\tb\x1b[2J\n"), "red\n\tb\\x1b[2J");
  EXPECT_EQ(escaped_block("10%\r20%\r100%\n"), "100%");
}

TEST(Markup, HasNoOtherCharactersInAUrl) {
  EXPECT_EQ(url_part("4711.0-attempt-0"), "4711.0-attempt-0");
  EXPECT_EQ(url_part("a/b:'\"<\n\xff"), "a%2Fb%3A%27%22%3C%0A%FF");
  EXPECT_EQ(anchor_of("a b"), "node-a_20b");
}

TEST(Markup, IsWellFormedWhateverTheBytesAre) {
  fixtures::RandomText random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto text = random.bytes(40);
    const auto page = "<!DOCTYPE html>\n<a b='" + escaped(text) + "' c=\"" + escaped(text) + "\">" +
                      escaped(text) + escaped_block(text) + "</a>";
    fixtures::PageReader reader(page);
    ASSERT_EQ(reader.fault(), "") << ::testing::PrintToString(text);
    ASSERT_EQ(reader.elements(), std::vector<std::string>{"a b c"});
  }
}

}  // namespace
}  // namespace muster::page
