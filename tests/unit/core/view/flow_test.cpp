#include "core/view/flow.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace muster::view {
namespace {

constexpr std::uint64_t megabyte = 1 << 20;

TEST(Window, IsBoundedForAllNodesTogether) {
  EXPECT_EQ(window(1), 256U << 10);
  EXPECT_EQ(window(0), window(1));
  EXPECT_LE(window(512) * 512, 32U << 20);
  EXPECT_GE(window(65536), 4096U);
}

TEST(SkipTo, LeavesNothingOutOfWhatCanBeSentSoon) {
  EXPECT_EQ(skip_to(0, 0), std::nullopt);
  EXPECT_EQ(skip_to(0, 4 * megabyte), std::nullopt);
  EXPECT_EQ(skip_to(100, 4 * megabyte + 100), std::nullopt);
}

TEST(SkipTo, GoesOnNearTheEndOfWhatCannot) {
  EXPECT_EQ(skip_to(0, 1000 * megabyte), 1000 * megabyte - (64 << 10));
}

TEST(SkipTo, StaysWhereTheFileHasBecomeShorter) {
  EXPECT_EQ(skip_to(1000 * megabyte, 0), std::nullopt);
}

TEST(Sending, CountsWhatIsUnderWayUntilItIsShown) {
  Sending sending;
  sending.sent(10);
  sending.sent(20);
  EXPECT_EQ(sending.under_way(), 30U);
  sending.shown(9);
  EXPECT_EQ(sending.under_way(), 30U);
  sending.shown(10);
  EXPECT_EQ(sending.under_way(), 20U);
  sending.skip(1000);
  sending.sent(5);
  sending.shown(30);
  EXPECT_EQ(sending.under_way(), 5U);
  sending.shown(1005);
  EXPECT_EQ(sending.under_way(), 0U);
}

TEST(Sending, BeginsAgainWithWhatMayBeLost) {
  Sending sending;
  sending.sent(10);
  sending.sent(20);
  sending.shown(10);
  sending.lost();
  EXPECT_EQ(sending.next(), 10U);
  EXPECT_EQ(sending.under_way(), 0U);
  sending.lost();
  EXPECT_EQ(sending.next(), 10U);
}

TEST(Receiving, TakesEachByteOnce) {
  Receiving receiving;
  const auto take = [&](std::uint64_t offset, const std::string& bytes) {
    OutputPiece piece{.source = {}, .offset = offset, .bytes = bytes};
    return receiving.take(piece) ? piece.bytes : std::string();
  };
  EXPECT_EQ(take(0, "abc"), "abc");
  EXPECT_EQ(take(0, "abc"), "");
  EXPECT_EQ(take(1, "bcde"), "de");
  EXPECT_EQ(take(5, ""), "");
  EXPECT_EQ(receiving.next(), 5U);
}

TEST(Receiving, KeepsTheOffsetOfWhatIsNew) {
  Receiving receiving;
  OutputPiece piece{.source = {}, .offset = 7, .bytes = "abc"};
  EXPECT_TRUE(receiving.take(piece));
  EXPECT_EQ(piece.offset, 7U);  // 7 bytes were left out before it
  piece = {.source = {}, .offset = 8, .bytes = "bcde"};
  EXPECT_TRUE(receiving.take(piece));
  EXPECT_EQ(piece, (OutputPiece{.source = {}, .offset = 10, .bytes = "de"}));
  piece = {.source = {}, .offset = 20, .bytes = {}};  // the file goes as far as that
  EXPECT_TRUE(receiving.take(piece));
  EXPECT_EQ(piece.offset, 20U);
  EXPECT_FALSE(receiving.take(piece));
  EXPECT_EQ(receiving.next(), 20U);
}

// A connection may break at any moment, with any part of the data in flight received and any part of that
// acknowledged.
TEST(Flow, LosesAndRepeatsNothingWhateverConnectionsBreak) {
  std::mt19937 random(15);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  std::string file;
  for (int byte = 0; byte < 5000; ++byte) file += static_cast<char>(random());
  for (int round = 0; round < 200; ++round) {
    Sending sending;
    Receiving receiving;
    std::string shown;
    std::uint64_t on_the_wire = 0;  // what was sent before the break arrives
    while (shown.size() < file.size()) {
      const auto bytes = std::min<std::size_t>(random() % 100, file.size() - sending.next());
      OutputPiece piece{
          .source = {}, .offset = sending.next(), .bytes = file.substr(sending.next(), bytes)};
      sending.sent(bytes);
      if (random() % 8 == 0) {
        sending.lost();
        continue;
      }
      if (piece.offset > receiving.next()) continue;
      if (receiving.take(piece)) {
        ASSERT_EQ(piece.offset, shown.size());
        shown += piece.bytes;
      }
      on_the_wire += bytes;
      if (random() % 2 == 0) sending.shown(shown.size());
    }
    ASSERT_EQ(shown, file);
    sending.shown(file.size());
    ASSERT_EQ(sending.under_way(), 0U);
  }
}

}  // namespace
}  // namespace muster::view
