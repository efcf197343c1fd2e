#include "launcher/channel/watch/outbox.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::watch {
namespace {

using namespace std::chrono_literals;

class OutboxTest : public testing::Test {
 protected:
  OutboxTest() { outbox_.make_room(2); }

  void say(const std::string& line) {
    if (outbox_.add(Remark{line}) != nullptr && connected_) outbox_.written();
  }

  // What a new connection is sent.
  std::vector<std::string> connect() {
    connected_ = true;
    std::vector<std::string> lines;
    outbox_.connected([&](const std::string& text) {
      lines.push_back(std::get<Remark>(event_from_agent(text)).line);
    });
    return lines;
  }

  Outbox outbox_;
  bool connected_ = false;
};

using Lines = std::vector<std::string>;

TEST_F(OutboxTest, KeepsWhatHasNoConnectionYet) {
  say("a");
  say("b");
  EXPECT_FALSE(outbox_.all_written());
  EXPECT_EQ(connect(), (Lines{"a", "b"}));
  EXPECT_TRUE(outbox_.all_written());
}

TEST_F(OutboxTest, SaysAgainWhatNoAnsweredBeatProves) {
  connect();
  say("a");
  outbox_.beat(1ns);
  say("b");
  outbox_.beat(2ns);
  EXPECT_TRUE(outbox_.answered(1ns));
  EXPECT_EQ(connect(), Lines{"b"});
  EXPECT_FALSE(outbox_.answered(2ns)) << "an answer of the connection before";
  EXPECT_EQ(connect(), Lines{"b"});
  outbox_.beat(3ns);
  EXPECT_TRUE(outbox_.answered(3ns));
  EXPECT_EQ(connect(), Lines{});
}

TEST_F(OutboxTest, KnowsOnlyItsOwnBeats) {
  connect();
  outbox_.beat(1ns);
  EXPECT_FALSE(outbox_.answered(7ns));
  EXPECT_TRUE(outbox_.answered(1ns));
  EXPECT_FALSE(outbox_.answered(1ns));
}

TEST_F(OutboxTest, HasABound) {
  for (int i = 0; i < 10'000; ++i) say("again");
  EXPECT_EQ(connect().size(), 34U);
}

TEST_F(OutboxTest, SendsTheLongTextsOfTheFirstFailuresOnly) {
  outbox_.make_room(100);
  std::vector<bool> texts;
  for (std::uint32_t rank = 0; rank < 40; ++rank) {
    Ended ended;
    ended.end.exception = {.message = "E", .traceback = {}, .time = {}};
    const auto* const text = outbox_.add(ended);
    ASSERT_NE(text, nullptr);
    texts.push_back(std::get<Ended>(event_from_agent(*text)).end.exception.has_value());
  }
  EXPECT_EQ(std::count(texts.begin(), texts.end(), true), 16);
  EXPECT_TRUE(texts.front());
}

}  // namespace
}  // namespace muster::watch
