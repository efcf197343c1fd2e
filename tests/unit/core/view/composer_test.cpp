#include "core/view/composer.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::view {
namespace {

constexpr Composer::Time composer_start{std::chrono::hours(1)};
constexpr Style raw{.raw = true};
constexpr Style by_rank{.prefix = Prefix::rank};

std::string text(const std::vector<ScreenText>& pieces, Stream stream) {
  std::string text;
  for (const auto& piece : pieces) {
    if (piece.stream == stream) text += piece.bytes;
  }
  return text;
}

TEST(Composer, LeavesOneRanksBytesAsTheyAre) {
  Composer composer(raw, 1, {});
  const std::string bytes("\r 10%\x1b[2J\0\xFF half", 16);
  composer.add({0, Stream::out}, bytes, composer_start);
  composer.add({0, Stream::err}, "error", composer_start);
  const auto pieces = composer.take(composer_start);
  EXPECT_EQ(text(pieces, Stream::out), bytes);
  EXPECT_EQ(text(pieces, Stream::err), "error");
  EXPECT_TRUE(composer.finish(false).empty());
}

TEST(Composer, KeepsTheOrderOfTheTwoStreamsOfARank) {
  Composer composer(raw, 1, {});
  composer.add({0, Stream::out}, "a", composer_start);
  composer.add({0, Stream::err}, "b", composer_start);
  composer.add({0, Stream::out}, "c", composer_start);
  const auto pieces = composer.take(composer_start);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[2].bytes, "c");
}

TEST(Composer, WritesThePrefixBeforeEachLine) {
  Composer composer(by_rank, 2, {});
  composer.add({0, Stream::out}, "one\nt", composer_start);
  composer.add({1, Stream::err}, "two\n", composer_start);
  composer.add({0, Stream::out}, "hree\n", composer_start);
  const auto pieces = composer.take(composer_start + Folding::moment);
  EXPECT_EQ(text(pieces, Stream::out), "[0] one\n[0] three\n");
  EXPECT_EQ(text(pieces, Stream::err), "[1] two\n");
}

TEST(Composer, FoldsEqualLines) {
  Composer composer(by_rank, 2, {});
  for (const std::uint32_t rank : {0U, 1U})
    composer.add({rank, Stream::out}, "same\n", composer_start);
  EXPECT_EQ(text(composer.take(composer_start), Stream::out), "[2 ranks] same\n");
}

TEST(Composer, ShowsLinesAtOnceWhereThereIsNoPrefix) {
  Composer composer({}, 2, {});
  for (const std::uint32_t rank : {0U, 1U})
    composer.add({rank, Stream::out}, "\x1b[2Jx\n", composer_start);
  EXPECT_EQ(text(composer.take(composer_start), Stream::out), "\\x1b[2Jx\n\\x1b[2Jx\n");
}

TEST(Composer, SaysWhatIsLeftOutWhereItIs) {
  Composer composer(by_rank, 2, {});
  composer.add({0, Stream::err}, "before\n", composer_start);
  composer.say("left out", composer_start);
  composer.add({0, Stream::err}, "after\n", composer_start);
  EXPECT_EQ(text(composer.take(composer_start + Folding::moment), Stream::err),
            "[0] before\nmuster: warning: left out\n[0] after\n");
}

TEST(Composer, SaysItOnALineOfItsOwn) {
  Composer composer(raw, 1, {.terminal = true});
  composer.add({0, Stream::out}, "half", composer_start);
  composer.say("left out", composer_start);
  EXPECT_EQ(text(composer.take(composer_start), Stream::err), "\nmuster: warning: left out\n");
}

TEST(Composer, EndsTheLineOfAProgressBarForWhatMusterSaysNext) {
  Composer composer(raw, 1, {});
  composer.add({0, Stream::err}, "\r 10%", composer_start);
  composer.take(composer_start);
  EXPECT_EQ(text(composer.finish(true), Stream::err), "\n");
  EXPECT_TRUE(composer.finish(true).empty());
}

TEST(Composer, EndsWithEverything) {
  Composer composer(by_rank, 9, {});
  composer.add({3, Stream::out}, "a\nhalf", composer_start);
  EXPECT_EQ(text(composer.finish(false), Stream::out), "[3] a\n[3] half\n");
}

}  // namespace
}  // namespace muster::view
