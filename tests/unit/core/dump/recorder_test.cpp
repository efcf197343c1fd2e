#include "core/dump/recorder.hpp"

#include "core/dump/message.hpp"
#include "fixtures/expect_error.hpp"
#include "made_up_looks.hpp"

#include <gtest/gtest.h>

namespace muster::dump {
namespace {

const std::string answer =
    R"({"torch": "2.13.0", "rank": 1, "groups": [{"group": "0", "text": "default_pg", "backend": "gloo",)"
    R"( "ranks": "0-2", "enqueued": 4, "started": 0, "completed": 3, "operation": "all_reduce"}]})";

TEST(Recorder, IsWhatThePackageAnswers) {
  const auto recorder = recorder_of(answer);
  EXPECT_EQ(recorder.rank, 1U);
  ASSERT_EQ(recorder.groups.size(), 1U);
  EXPECT_EQ(recorder.groups[0].enqueued, 4U);
  EXPECT_EQ(recorder.groups[0].operation, "all_reduce");
}

TEST(Recorder, ComesWithTheLookOfItsRank) {
  auto one = look(1, {});
  one.recorder = recorder_of(answer);
  EXPECT_EQ(std::get<ProcessLook>(message_of(to_text(one))), one);
}

TEST(Recorder, IsRefusedWhereItIsNone) {
  for (const char* text :
       {"", "x", "[]", "{}", R"({"rank": 0, "groups": 1})", R"({"rank": 0, "groups": [1]})",
        R"({"rank": 0, "groups": [{}]})", "[[[[[[[[1]]]]]]]]"}) {
    EXPECT_THROW(recorder_of(text), Error) << text;
  }
  EXPECT_THROW(recorder_of(std::string(max_recorder_bytes + 1, ' ')), Error);
  EXPECT_THROW(recorder_of(R"({"error": "AttributeError: pg_map"})"), Error);
}

TEST(Recorder, MovesInTheGroupsThatHaveChanged) {
  const auto first = recorder_of(answer);
  EXPECT_FALSE(moved_since(first, first).groups[0].moves);
  auto later = first;
  later.groups[0].completed = 4;
  EXPECT_TRUE(moved_since(first, later).groups[0].moves);
}

}  // namespace
}  // namespace muster::dump
