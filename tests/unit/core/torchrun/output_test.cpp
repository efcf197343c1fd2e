#include "core/torchrun/output.hpp"

#include "fixtures/expect_error.hpp"

#include <gtest/gtest.h>

namespace muster::torchrun {
namespace {

Words with(Text redirects, Text tee, Text filter = {}, Text directory = {}) {
  Words words;
  words.redirects = std::move(redirects);
  words.tee = std::move(tee);
  words.local_ranks_filter = std::move(filter);
  words.log_dir = std::move(directory);
  return words;
}

TEST(Output, StaysOnTheConsoleUnlessAsked) {
  EXPECT_EQ(output_of({}, 2), Output{});
  EXPECT_EQ(output_of(with("0", "0"), 2), Output{});
}

TEST(Output, RedirectedGoesToTheFilesAlone) {
  EXPECT_EQ(output_of(with("3", {}), 2), (Output{true, "none", false}));
  EXPECT_EQ(output_of(with("0:3", {}), 2), (Output{true, "1", false}));
}

TEST(Output, TeedGoesToBothWithTheRank) {
  EXPECT_EQ(output_of(with({}, "3"), 2), (Output{true, "all", true}));
  EXPECT_EQ(output_of(with("3", "0:3"), 4), (Output{true, "0", true}));
}

TEST(Output, OfRanksThatAreFilteredOutStaysInFiles) {
  EXPECT_EQ(output_of(with({}, {}, "0,2"), 4), (Output{true, "0+2", false}));
}

TEST(Output, OfALogDirectoryAloneIsShownAndKept) {
  EXPECT_EQ(output_of(with({}, {}, {}, "out"), 2), (Output{true, "all", false}));
  EXPECT_EQ(output_of(with({}, {}, {}, "/dev/null"), 2), Output{});
}

TEST(Output, OfOneStreamLeavesTheOtherOnTheConsole) {
  EXPECT_EQ(output_of(with("1", {}), 2), (Output{true, "all:err", false}));
  EXPECT_EQ(output_of(with("0:2", {}), 2), (Output{true, "0:out+1", false}));
  EXPECT_EQ(output_of(with("0:1,1:3", {}), 3), (Output{true, "0:err+2", false}));
  EXPECT_EQ(output_of(with("1", {}, "1"), 2), (Output{true, "1:err", false}));
  EXPECT_EQ(output_of(with("3", "0:2"), 2), (Output{true, "0:err", true}));
}

TEST(Output, OfOneStreamTeedIsInBothPlacesAndSoIsTheOther) {
  EXPECT_EQ(output_of(with({}, "1"), 2), (Output{true, "all", true}));
}

TEST(Output, MalformedIsRefused) {
  for (const auto* const value : {"7", "x", "", "0:9", "a:3", "0:", ":3", "0:3,,1:3"}) {
    fixtures::expect_error([&] { output_of(with(value, {}), 2); }, "--redirects");
  }
  fixtures::expect_error([] { output_of(with({}, {}, "0,x"), 2); }, "--local-ranks-filter");
}

}  // namespace
}  // namespace muster::torchrun
