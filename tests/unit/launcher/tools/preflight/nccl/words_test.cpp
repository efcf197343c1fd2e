#include "launcher/tools/preflight/nccl/words.hpp"

#include "fixtures/random_text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::preflight::nccl {
namespace {

using std::chrono::milliseconds;

const std::string key(64, 'a');

TEST(NcclOrderLine, IsReadAsItWasWritten) {
  for (const auto& order : {Order{0, false, milliseconds(2500), "127.0.0.1:4711", key},
                            Order{1, true, milliseconds(1), "[fd00::1]:65535", key}})
    EXPECT_EQ(order_in(to_line(order)), order);
}

TEST(NcclOrderLine, OfAnyOtherKindIsNothing) {
  const auto line = [](const char* begin) { return begin + key; };
  for (const auto& text : {std::string(), line("test 2 full 5 a:1 "), line("test 0 half 5 a:1 "),
                           line("test 0 full 0 a:1 "), line("test 0 full 60001 a:1 "),
                           line("test 0 full 5  "), line("test 0 full 5 a:1 b"),
                           line("tests 0 full 5 a:1 "), "test 0 full 5 a:1 " + std::string(64, 'G'),
                           "test 0 full 5 " + std::string(200, 'a') + " " + key,
                           "test 0 full 5 a:1 " + key + std::string(max_line, ' ')})
    EXPECT_EQ(order_in(text), std::nullopt) << text;
}

TEST(NcclAnswerLine, IsReadAsItWasWritten) {
  for (const auto& answer :
       {Answer{Outcome::ready, 22809, {}, {}}, Answer{Outcome::left_out, 0, {}, "no libcuda.so.1"},
        Answer{Outcome::measured, 0, {25.5, 27.25, 2e10}, {}},
        Answer{Outcome::late, 0, {}, "a rank is missing"}, Answer{Outcome::failed, 0, {}, "x"}})
    EXPECT_EQ(answer_in(to_line(answer)), answer);
}

TEST(NcclAnswerLine, IsOneLineWhateverALibraryHasSaid) {
  const auto line =
      to_line({Outcome::failed, 0, {}, "two\nlines\x1b[31m" + std::string(5000, 'x')});
  EXPECT_LE(line.size(), max_line);
  EXPECT_EQ(line.find_first_of("\n\x1b"), std::string::npos);
  ASSERT_TRUE(answer_in(line));
  EXPECT_TRUE(answer_in(to_line({Outcome::failed, 0, {}, ""})));
}

TEST(NcclAnswerLine, OfAnyOtherKindIsNothing) {
  for (const auto* text :
       {"", "ready", "ready 0", "ready x", "ready 22809 5", "measured 1 2", "measured 1 2 3 4",
        "measured 1 2 nan", "measured 1 -2 3", "measured 1 2 1e99", "failed", "late", "left-out",
        "failed a\x01"
        "b",
        "READY 1", "NCCL INFO measured 1 2 3"})
    EXPECT_EQ(answer_in(text), std::nullopt) << text;
}

TEST(NcclLines, ThatAreDamagedAreNothingOrWithinTheirBounds) {
  fixtures::RandomText random(17);
  const auto order = to_line(Order{1, false, milliseconds(2500), "10.0.0.1:4711", key});
  const auto answer = to_line(Answer{Outcome::measured, 0, {25.5, 27.25, 2e10}, {}});
  for (int i = 0; i < 20000; ++i) {
    if (const auto read = order_in(random.mutate(order))) {
      EXPECT_LE(read->limit, max_limit);
      EXPECT_EQ(order_in(to_line(*read)), read);
    }
    if (const auto read = answer_in(random.mutate(answer))) {
      EXPECT_GE(read->figures.latency, 0);
    }
  }
}

}  // namespace
}  // namespace muster::preflight::nccl
