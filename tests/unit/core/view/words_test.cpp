#include "core/view/words.hpp"

#include <gtest/gtest.h>

namespace muster::view {
namespace {

TEST(PrefixText, NamesTheRankAndTheNodeAsWished) {
  const NodeNames nodes{{3, "node2"}};
  EXPECT_EQ(prefix_text(Prefix::none, {3}, 8, nodes), "");
  EXPECT_EQ(prefix_text(Prefix::rank, {3}, 8, nodes), "[3] ");
  EXPECT_EQ(prefix_text(Prefix::node, {3}, 8, nodes), "[node2 3] ");
}

TEST(PrefixText, CountsAllRanksAndListsSome) {
  EXPECT_EQ(prefix_text(Prefix::rank, {0, 1, 2, 3}, 4, {}), "[4 ranks] ");
  EXPECT_EQ(prefix_text(Prefix::rank, {0, 1, 2, 5}, 8, {}), "[0-2,5] ");
  EXPECT_EQ(prefix_text(Prefix::rank, {0, 2, 4, 6, 8, 10, 12, 14, 16, 18}, 99, {}), "[10 ranks] ");
}

TEST(PrefixText, ShowsANodesNameHarmless) {
  EXPECT_EQ(prefix_text(Prefix::node, {0}, 1, {{0, "\x1b[2J"}}), "[\\x1b[2J 0] ");
}

TEST(PrefixText, HasAColourOfTheRank) {
  EXPECT_NE(coloured("[0] ", {0}), coloured("[0] ", {1}));
  EXPECT_EQ(coloured("", {}), "");
  EXPECT_TRUE(coloured("[0] ", {0}).ends_with("\x1b[0m"));
}

TEST(LeftOutText, SaysHowMuchOfWhatAndWhereItIs) {
  EXPECT_EQ(
      left_out_text(3, 12'345'678, "/logs/rank-3.out"),
      "11.8 MiB of rank 3's output was not shown; the complete output is in /logs/rank-3.out");
}

TEST(LastLines, BeginWithAWholeLine) {
  EXPECT_EQ(last_lines("tail of one\ntwo\nthree", false),
            (std::vector<std::string>{"two", "three"}));
  EXPECT_EQ(last_lines("one\ntwo\n", true), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(last_lines("", true), std::vector<std::string>{});
}

TEST(LastLines, AreAsFewAsAScreenBearsAndHarmless) {
  std::string text;
  for (int line = 0; line < 100; ++line) text += std::to_string(line) + "\x1b[2J\n";
  const auto lines = last_lines(text, true);
  ASSERT_EQ(lines.size(), 32U);
  EXPECT_EQ(lines.back(), "99\\x1b[2J");
}

// As in Python's string.Template.
TEST(TemplateText, HasWhatTorchrunsTemplateNames) {
  EXPECT_EQ(template_text("[${role_name}${rank}]:", 3, "trainer"), "[trainer3]:");
  EXPECT_EQ(template_text("$local_rank $$rank ", 3, "r"), "3 $rank ");
  EXPECT_EQ(template_text("${other} $x ${rank $", 3, "r"), "${other} $x ${rank $");
  EXPECT_EQ(template_text("", 3, "r"), "");
}

}  // namespace
}  // namespace muster::view
