#include "core/text/suggestion.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr std::array<std::string_view, 5> words{"bind", "gpus", "network", "on", "off"};

TEST(EditDistance, CountsInsertionsDeletionsSubstitutionsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("bnid", "bind"), 1U);
}

TEST(EditDistance, IsTheSameInBothDirections) {
  EXPECT_EQ(edit_distance("network", "netwrk"), edit_distance("netwrk", "network"));
}

TEST(Nearest, FindsTheWordBehindASlip) {
  EXPECT_EQ(nearest("bnid", words), "bind");
  EXPECT_EQ(nearest("netwrok", words), "network");
  EXPECT_EQ(nearest("gpu", words), "gpus");
}

TEST(Nearest, PrefersTheWordThatBeginsAlike) {
  EXPECT_EQ(nearest("of", words), "off");
}

TEST(Nearest, FindsNothingForAnUnrelatedWord) {
  EXPECT_EQ(nearest("zzzzzz", words), std::nullopt);
  EXPECT_EQ(nearest("x", words), std::nullopt);
  EXPECT_EQ(nearest("", words), std::nullopt);
}

TEST(Nearest, IgnoresAWordTooLongToBeASlip) {
  EXPECT_EQ(nearest(std::string(100'000, 'b'), words), std::nullopt);
}

TEST(Suggestion, NamesTheNearestWordOrElseAllOfThem) {
  EXPECT_EQ(suggestion("bnid", words), "did you mean 'bind'?");
  EXPECT_EQ(suggestion("zzzzzz", words), "use one of bind, gpus, network, on, off");
  EXPECT_EQ(suggestion("zzzzzz", std::span(words).first(1)), "use bind");
}

}  // namespace
}  // namespace muster
