#include "core/text/suggestion.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace muster::text {
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

TEST(SuggestedWord, FindsTheWordBehindASlip) {
  EXPECT_EQ(suggested_word("bnid", words), "bind");
  EXPECT_EQ(suggested_word("netwrok", words), "network");
  EXPECT_EQ(suggested_word("gpu", words), "gpus");
}

TEST(SuggestedWord, PrefersTheWordThatBeginsAlike) {
  EXPECT_EQ(suggested_word("of", words), "off");
}

TEST(SuggestedWord, CompletesABeginningThatOnlyOneWordHas) {
  EXPECT_EQ(suggested_word("ne", words), "network");
  EXPECT_EQ(suggested_word("o", words), "on");  // begins two words: probably a typo
}

TEST(SuggestedWord, FindsNothingForAnUnrelatedWord) {
  EXPECT_EQ(suggested_word("zzzzzz", words), std::nullopt);
  EXPECT_EQ(suggested_word("x", words), std::nullopt);
  EXPECT_EQ(suggested_word("bee", words), std::nullopt);  // two of three letters are wrong
  EXPECT_EQ(suggested_word("", words), std::nullopt);
}

TEST(SuggestedWord, IgnoresAWordTooLongToBeASlip) {
  EXPECT_EQ(suggested_word(std::string(100'000, 'b'), words), std::nullopt);
}

TEST(Suggestion, NamesTheNearestWordOrElseAllOfThem) {
  EXPECT_EQ(suggestion("bnid", words), "did you mean 'bind'?");
  EXPECT_EQ(suggestion("zzzzzz", words), "use one of bind, gpus, network, on, off");
  EXPECT_EQ(suggestion("zzzzzz", std::span(words).first(1)), "use bind");
}

}  // namespace
}  // namespace muster::text
