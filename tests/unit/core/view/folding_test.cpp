#include "core/view/folding.hpp"

#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace muster::view {
namespace {

using std::chrono::milliseconds;
using Ranks = std::set<std::uint32_t>;

constexpr Folding::Time start{std::chrono::hours(1)};

Source out_of(std::uint32_t rank) {
  return {rank, Stream::out};
}

TEST(Folding, MakesOneOfEqualLinesOfAllRanksAtOnce) {
  Folding folding;
  folding.set_ranks(3);
  for (const std::uint32_t rank : {2U, 0U}) folding.add(out_of(rank), "same", start);
  EXPECT_TRUE(folding.take(start).empty());
  folding.add(out_of(1), "same", start);
  const auto lines = folding.take(start);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].ranks, (Ranks{0, 1, 2}));
  EXPECT_EQ(lines[0].text, "same");
  EXPECT_EQ(folding.next(), std::nullopt);
}

TEST(Folding, WaitsOnlyAMomentForTheOthers) {
  Folding folding;
  folding.set_ranks(3);
  folding.add(out_of(0), "same", start);
  folding.add(out_of(2), "same", start + milliseconds(100));
  ASSERT_EQ(folding.next(), start + Folding::moment);
  EXPECT_TRUE(folding.take(start + Folding::moment - milliseconds(1)).empty());
  const auto lines = folding.take(start + Folding::moment);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].ranks, (Ranks{0, 2}));
}

TEST(Folding, KeepsStreamsApart) {
  Folding folding;
  folding.set_ranks(2);
  folding.add({0, Stream::out}, "same", start);
  folding.add({1, Stream::err}, "same", start);
  EXPECT_EQ(folding.take_all().size(), 2U);
}

TEST(Folding, DoesNotCountARanksOwnLinesTogether) {
  Folding folding;
  folding.set_ranks(2);
  for (int line = 0; line < 3; ++line) folding.add(out_of(0), "same", start);
  folding.add(out_of(1), "same", start);
  const auto lines = folding.take_all();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].ranks, (Ranks{0, 1}));
  EXPECT_EQ(lines[1].ranks, Ranks{0});
}

TEST(Folding, FindsEqualLinesBehindOnesThatAreNot) {
  Folding folding;
  folding.set_ranks(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    folding.add(out_of(rank), "rank " + std::to_string(rank), start);
    folding.add(out_of(rank), "same", start);
  }
  const auto lines = folding.take(start + Folding::moment);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines.back().text, "same");
  EXPECT_EQ(lines.back().ranks, (Ranks{0, 1, 2}));
}

TEST(Folding, KeepsTheDeadlineOfWhatWaitsBehindOthers) {
  Folding folding;
  folding.set_ranks(3);
  folding.add(out_of(0), "a", start);
  folding.add(out_of(1), "b", start + milliseconds(50));
  folding.take(start + Folding::moment);
  EXPECT_EQ(folding.next(), start + milliseconds(50) + Folding::moment);
  EXPECT_EQ(folding.take(start + milliseconds(50) + Folding::moment).size(), 1U);
  EXPECT_EQ(folding.next(), std::nullopt);
}

TEST(Folding, HasABoundOnWhatWaits) {
  Folding folding;
  folding.set_ranks(2);
  for (std::size_t line = 0; line < Folding::max_lines + 10; ++line) {
    folding.add(out_of(0), std::to_string(line), start);
  }
  EXPECT_EQ(folding.take(start).size(), 10U);
  Folding wide;
  wide.set_ranks(2);
  for (int line = 0; line < 300; ++line) {
    wide.add(out_of(0), std::to_string(line) + std::string(8000, 'x'), start);
  }
  EXPECT_FALSE(wide.take(start).empty());
}

// Each rank's output can be read from the folded lines, in its order.
TEST(Folding, KeepsEachRanksLinesInTheirOrder) {
  std::mt19937 random(11);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  for (int round = 0; round < 100; ++round) {
    constexpr std::uint32_t ranks = 5;
    Folding folding;
    folding.set_ranks(ranks);
    std::map<std::uint32_t, std::string> written;
    std::map<std::uint32_t, std::string> shown;
    const auto show = [&](const std::vector<FoldedLine>& lines) {
      for (const auto& line : lines) {
        for (const auto rank : line.ranks) shown[rank] += line.text;
      }
    };
    auto now = start;
    for (int line = 0; line < 200; ++line) {
      const auto rank = static_cast<std::uint32_t>(random() % ranks);
      const std::string text(1, static_cast<char>('a' + random() % 4));
      folding.add(out_of(rank), text, now);
      written[rank] += text;
      now += milliseconds(random() % 30);
      if (random() % 3 == 0) show(folding.take(now));
    }
    show(folding.take_all());
    ASSERT_EQ(shown, written);
  }
}

}  // namespace
}  // namespace muster::view
