#include "core/view/choice.hpp"

#include <gtest/gtest.h>

namespace muster::view {
namespace {

using option::View;

const View first{};
const View all{.show = View::Show::all};
const View none{.show = View::Show::none};
const View two{.show = View::Show::ranks, .ranks = {{0}, {7}}};

constexpr Source out(std::uint32_t rank) {
  return {rank, Stream::out};
}

constexpr Source err(std::uint32_t rank) {
  return {rank, Stream::err};
}

TEST(Choice, IsOfTheRanksThatViewNames) {
  EXPECT_TRUE(shows(first, out(0)) && shows(first, err(0)) && !shows(first, out(1)));
  EXPECT_TRUE(shows(all, out(99)) && shows(all, err(99)));
  EXPECT_FALSE(shows(none, out(0)) || shows(none, err(0)));
  EXPECT_TRUE(shows(two, out(0)) && shows(two, err(7)) && !shows(two, out(1)));
  EXPECT_EQ(shown_ranks(two, 8), 2U);
  EXPECT_EQ(shown_ranks(all, 8), 8U);
}

TEST(Choice, CanBeOfOneStream) {
  using option::Streams;
  const View errors{.show = View::Show::all, .streams = Streams::err};
  EXPECT_TRUE(shows(errors, err(3)) && !shows(errors, out(3)));
  EXPECT_EQ(shown_ranks(errors, 8), 8U);
  const View mixed{.show = View::Show::ranks, .ranks = {{0, Streams::out}, {2, Streams::err}, {3}}};
  EXPECT_TRUE(shows(mixed, out(0)) && !shows(mixed, err(0)));
  EXPECT_TRUE(shows(mixed, err(2)) && !shows(mixed, out(2)));
  EXPECT_TRUE(shows(mixed, err(3)) && shows(mixed, out(3)));
  EXPECT_EQ(shown_ranks(mixed, 8), 3U);
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
