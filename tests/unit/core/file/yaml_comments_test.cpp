#include "core/file/yaml_comments.hpp"

#include <gtest/gtest.h>

namespace muster::file {
namespace {

TEST(ShortenComments, LeavesValuesAtTheirLinesAndColumns) {
  EXPECT_EQ(shorten_comments("# words\n\na: 1 # more\n  # b: 2\n\t#c\nd: \"e # f\"\n# last"),
            "#\n\na: 1 # more\n  #\n\t#\nd: \"e # f\"\n#");
}

TEST(ShortenComments, KeepsEachKindOfLineEnd) {
  EXPECT_EQ(shorten_comments("# a\r\nb: 1\r# c\rd: 2\n"), "#\r\nb: 1\r#\rd: 2\n");
}

TEST(ShortenComments, TouchesNothingBelowAValueThatMayGoOnOverLines) {
  for (const std::string begin : {"a: |", "a: >-", "a: \"b", "a: 'b", "a: \"b\\\"", "['a\"b', \"c",
                                  "a\"b: \"c", "- \"a\"", "a: \"b\" 'c", "a: it's"}) {
    EXPECT_EQ(shorten_comments("# x y\n" + begin + "\n  # text\n"), "#\n" + begin + "\n  # text\n")
        << begin;
  }
}

TEST(ShortenComments, GoesOnAfterAValueInQuotesThatHasEnded) {
  EXPECT_EQ(shorten_comments("a: \"b\"\n# x\nc: 'd'\n# y\n"), "a: \"b\"\n#\nc: 'd'\n#\n");
}

TEST(ShortenComments, LeavesOtherEncodingsAlone) {
  const std::string wide("#\0 \0x\0\n\0", 8);
  EXPECT_EQ(shorten_comments(wide), wide);
  EXPECT_EQ(shorten_comments(""), "");
}

}  // namespace
}  // namespace muster::file
