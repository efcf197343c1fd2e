#include "core/view/lines.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::view {
namespace {

using std::chrono::milliseconds;

class LinesOf : public testing::Test {
 protected:
  void add(std::string_view bytes, milliseconds at = {}) { lines_.add(bytes, start_ + at, take_); }
  void look(milliseconds at) { lines_.look(start_ + at, take_); }
  void finish() { lines_.finish(take_); }
  std::vector<std::string> taken() { return std::exchange(taken_, {}); }

  using Texts = std::vector<std::string>;
  Lines lines_;

 private:
  const Lines::Time start_ = Lines::Time(std::chrono::hours(1));
  Texts taken_;
  const Lines::TakeLine take_ = [this](std::string line) { taken_.push_back(std::move(line)); };
};

TEST_F(LinesOf, AProgramComeWholeHoweverItsBytesCome) {
  add("one\ntw");
  EXPECT_EQ(taken(), Texts{"one"});
  add("o\n\nthree\r\n");
  EXPECT_EQ(taken(), (Texts{"two", "", "three"}));
  EXPECT_EQ(lines_.next(), std::nullopt);
}

TEST_F(LinesOf, AProgressBarAreItsLastState) {
  add("\r 10%");
  add("\r 20%\r 30%");
  EXPECT_EQ(taken(), Texts{});
  add("\r100%\n");
  EXPECT_EQ(taken(), Texts{"100%"});
}

TEST_F(LinesOf, AProgressBarThatMovesAreShownNowAndThen) {
  for (int second = 0; second < 10; ++second) {
    add("\r" + std::to_string(second), milliseconds(1000 * second));
    look(milliseconds(1000 * second + 900));
    EXPECT_EQ(taken(), Texts{}) << second;
  }
  look(milliseconds(10'000));
  EXPECT_EQ(taken(), Texts{"9"});
}

TEST_F(LinesOf, AProgramThatStandsStillAreShownWithoutAnEnd) {
  add("loading ... ");
  look(milliseconds(999));
  EXPECT_EQ(taken(), Texts{});
  look(milliseconds(1000));
  EXPECT_EQ(taken(), Texts{"loading ... "});
  add("done\n", milliseconds(5000));
  EXPECT_EQ(taken(), Texts{"done"});
}

TEST_F(LinesOf, AProgramAreNotShownTwiceWhereTheEndComesLater) {
  add("loading ...");
  look(milliseconds(1000));
  taken();
  add("\nnext\n", milliseconds(5000));
  EXPECT_EQ(taken(), Texts{"next"});
}

TEST_F(LinesOf, AnyLengthComeInParts) {
  const std::string line(3 * Lines::max_line_bytes + 100, 'x');
  add(line);
  add("\n");
  std::string joined;
  for (const auto& part : taken()) {
    EXPECT_LE(part.size(), Lines::max_line_bytes);
    joined += part;
  }
  EXPECT_EQ(joined, line);
}

TEST_F(LinesOf, AnyLengthAreNotCutWithinACharacter) {
  std::string line = "x";
  while (line.size() < Lines::max_line_bytes + 100) line += "\xE2\x82\xAC";  // the euro sign
  add(line + "\n");
  for (const auto& part : taken()) EXPECT_NE((part.front() & 0xC0), 0x80);
}

TEST_F(LinesOf, AProgramEndWithWhatHasNoEnd) {
  add("one\ntwo");
  taken();
  finish();
  EXPECT_EQ(taken(), Texts{"two"});
  finish();
  EXPECT_EQ(taken(), Texts{});
}

TEST_F(LinesOf, AnyBytesLoseNothingWithoutReturns) {
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  std::string all;
  std::string joined;
  for (int piece = 0; piece < 300; ++piece) {
    std::string bytes;
    for (auto count = random() % 200; count > 0; --count) {
      const char byte = static_cast<char>(random() % 64 == 0 ? '\n' : random());
      bytes += byte == '\r' ? ' ' : byte;
    }
    all += bytes;
    add(bytes);
    for (const auto& line : taken()) joined += line + "\n";
  }
  finish();
  for (const auto& line : taken()) joined += line;
  EXPECT_EQ(joined, all);
}

}  // namespace
}  // namespace muster::view
