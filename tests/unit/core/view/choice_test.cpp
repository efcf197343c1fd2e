#include "core/view/choice.hpp"

#include <gtest/gtest.h>

namespace muster::view {
namespace {

using option::View;

const View first{};
const View all{View::Show::all, {}};
const View none{View::Show::none, {}};
const View two{View::Show::ranks, {0, 7}};

TEST(Choice, IsOfTheRanksThatViewNames) {
  EXPECT_TRUE(shows(first, 0) && !shows(first, 1));
  EXPECT_TRUE(shows(all, 99));
  EXPECT_FALSE(shows(none, 0));
  EXPECT_TRUE(shows(two, 0) && shows(two, 7) && !shows(two, 1));
  EXPECT_EQ(shown_ranks(two, 8), 2U);
  EXPECT_EQ(shown_ranks(all, 8), 8U);
}

TEST(Choice, CannotBeOfARankThatIsNotThere) {
  EXPECT_EQ(objection(two, 8), "");
  EXPECT_EQ(objection(two, 7), "view=7: the step has no such rank; use ranks from 0 to 6");
  EXPECT_EQ(objection(two, 1), "view=7: the step has rank 0 only; use view=0");
  EXPECT_EQ(objection(all, 1), "");
}

TEST(Choice, ShowsOneRankAsItIsAndSeveralWithTheirRank) {
  using option::Prefix;
  EXPECT_TRUE(style_of(first, Prefix::auto_, 8).raw);
  EXPECT_TRUE(style_of(all, Prefix::auto_, 1).raw);
  EXPECT_TRUE(style_of(first, Prefix::none, 8).raw);
  EXPECT_FALSE(style_of(first, Prefix::rank, 8).raw);
  EXPECT_FALSE(style_of(all, Prefix::none, 8).raw);
  EXPECT_EQ(style_of(all, Prefix::auto_, 8).prefix, view::Prefix::rank);
  EXPECT_EQ(style_of(first, Prefix::node, 8).prefix, view::Prefix::node);
}

}  // namespace
}  // namespace muster::view
