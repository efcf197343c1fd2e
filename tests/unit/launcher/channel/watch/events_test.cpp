#include "launcher/channel/watch/events.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "fixtures/random_text.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace muster::watch {
namespace {

using namespace std::chrono_literals;

report::Moment moment(std::int64_t time) {
  return {.time = std::chrono::nanoseconds(time), .error = 17ns};
}

template <class Event>
Event through(const Event& event) {
  return std::get<Event>(event_from_agent(to_text(FromAgent(event))));
}

report::RankEnd full_end() {
  report::RankEnd end;
  end.place = {.rank = 4'294'967'295, .local_rank = 7, .pid = 4'194'304};
  end.wait_status = std::numeric_limits<std::int32_t>::min();
  end.time = moment(-5);
  end.ended_by_muster = true;
  end.out_of_memory = true;
  end.exception = {.message = "RuntimeError: \"ü\"\n\x01",
                   .traceback = "line\nline",
                   .time = moment(9),
                   .of_signal = true};
  end.last_lines = {"one", "", "\ttwo\r"};
  end.last_lines_file = "/home/alice/out.7";
  return end;
}

TEST(EventsTest, BringsAHelloOver) {
  const Hello hello{.step = "42.0",
                    .node = "node1",
                    .ranks = {{0, 0, 17}, {1, 1, 0}},
                    .started = moment(1'000'000'007),
                    .ranks_of_step = 2,
                    .agent = report::AgentTimes{moment(1), moment(20), moment(300)}};
  const auto same = through(hello);
  EXPECT_EQ(same.step, hello.step);
  EXPECT_EQ(same.node, hello.node);
  EXPECT_EQ(same.ranks, hello.ranks);
  EXPECT_EQ(same.started, hello.started);
  EXPECT_EQ(same.ranks_of_step, hello.ranks_of_step);
  EXPECT_EQ(same.agent, hello.agent);
  EXPECT_FALSE(through(Hello{}).agent);
}

TEST(EventsTest, RefusesAHelloWithHalfOfAnAgentsTimes) {
  Hello hello;
  hello.agent = report::AgentTimes{};
  const auto text = to_text(FromAgent(hello));
  for (const std::string part : {R"("came":[0,0],)", R"(,"met":[0,0])", R"([0,0],"came")"}) {
    auto damaged = text;
    ASSERT_NE(text.find(part), std::string::npos) << text;
    damaged.replace(text.find(part), part.size(), part.ends_with("came\"") ? "7,\"came\"" : "");
    EXPECT_THROW(event_from_agent(damaged), Error) << damaged;
  }
}

TEST(EventsTest, BringsTheEndOfARankOver) {
  EXPECT_EQ(through(Ended{full_end()}).end, full_end());
  EXPECT_EQ(through(Ended{}).end, report::RankEnd());
}

TEST(EventsTest, BringsTheShortOnesOver) {
  EXPECT_EQ(through(Remark{"why"}).line, "why");
  EXPECT_EQ(through(Stuck{{3, 4}}).ranks, (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(through(Hangs{7, "ValueError: boom\nand more"}).rank, 7U);
  EXPECT_EQ(through(Hangs{7, "ValueError: boom"}).message, "ValueError: boom");
  EXPECT_EQ(through(Beat{.sent = 5ns, .supervisor = -6ns}).supervisor, -6ns);
  through(Bye());
  const auto end = event_from_supervisor(to_text(FromSupervisor(End{1500ms})));
  EXPECT_EQ(std::get<End>(end).grace, 1500ms);
  const auto beat =
      event_from_supervisor(to_text(FromSupervisor(Beat{.sent = 5ns, .supervisor = 6ns})));
  EXPECT_EQ(std::get<Beat>(beat).sent, 5ns);
}

TEST(EventsTest, BringsACountOver) {
  const Counted counted{
      .number = 7,
      .counts = {.time = 5ms,
                 .network = status::Traffic{1, 2},
                 .rdma = status::Traffic{std::int64_t{1} << 56, 0},
                 .files = std::nullopt,
                 .output = status::LastOutput{3, 4ms, 5},
                 .signs = status::Signs{1, 2, 3, 4, status::Collectives{5, 6, 7}}}};
  EXPECT_EQ(through(counted).number, 7U);
  EXPECT_EQ(through(counted).counts, counted.counts);
  EXPECT_EQ(through(Counted()).counts, status::Counts());
  const auto count = event_from_supervisor(to_text(FromSupervisor(Count{9})));
  EXPECT_EQ(std::get<Count>(count).number, 9U);
}

TEST(EventsTest, RefusesCountsThatCannotBe) {
  for (const auto* const text :
       {R"({"event":"counted","number":1})", R"({"event":"counted","number":1,"time":-1})",
        R"({"event":"counted","number":1,"time":1,"network":{"in":-1,"out":0}})",
        R"({"event":"counted","number":1,"time":1,"files":{"in":0,"out":72057594037927937}})",
        R"({"event":"counted","number":1,"time":1,"output":{"rank":-1,"age":0,"bytes":0}})"}) {
    EXPECT_THROW(event_from_agent(text), Error) << text;
  }
}

// The longest possible values, made of the bytes that need most room in JSON.
TEST(EventsTest, KeepsAMessageBelowItsBound) {
  for (const std::string byte : {"x", "\x01", "\xFF", "\xE2\x82\xAC"}) {
    std::string text;
    while (text.size() < 100'000) text += byte;
    Ended ended{full_end()};
    ended.end.exception = {.message = text, .traceback = text + "its end", .time = {}};
    ended.end.last_lines.assign(100, text);
    ended.end.last_lines_file = text;
    const auto sent = to_text(FromAgent(ended));
    EXPECT_LE(sent.size(), max_event_bytes);
    const auto end = std::get<Ended>(event_from_agent(sent)).end;
    ASSERT_TRUE(end.exception);
    EXPECT_TRUE(end.exception->traceback.ends_with("its end"));
    EXPECT_LE(end.exception->message.size(), report::max_message_bytes);
    EXPECT_LE(end.last_lines.size(), report::max_last_lines);
  }
}

TEST(EventsTest, BringsTheRanksOfALargeNodeOver) {
  Hello hello;
  hello.step = std::string(1000, '"');
  hello.node = std::string(1000, '\n');
  hello.ranks.assign(5000, {4'294'967'295, 4'294'967'295, 4'294'967'295});
  const auto text = to_text(FromAgent(hello));
  EXPECT_LE(text.size(), max_event_bytes);
  EXPECT_EQ(std::get<Hello>(event_from_agent(text)).ranks.size(), 1792U);
}

TEST(EventsTest, MakesForeignBytesFitToRead) {
  EXPECT_EQ(through(Remark{"a\xFFz\n\x1B[31m"}).line, "a\xEF\xBF\xBDz  [31m");
  Ended ended{full_end()};
  ended.end.exception->message = std::string(5000, 'x') + "\xC3";
  ended.end.exception->message[report::max_message_bytes - 1] = '\xC3';  // cut within a character
  ended.end.exception->message[report::max_message_bytes] = '\xBC';
  EXPECT_TRUE(text::is_utf8(through(ended).end.exception->message));
}

TEST(EventsTest, RefusesWhatNoAgentSends) {
  for (const char* text :
       {"",
        "{",
        "[]",
        "7",
        "null",
        R"({"event":"hello"})",
        R"({"event":7})",
        R"({"event":"end"})",
        R"({"event":"beat","sent":1})",
        R"({"event":"beat","sent":1.5,"supervisor":0})",
        R"({"event":"beat","sent":18446744073709551615,"supervisor":0})",
        R"({"event":"beat","sent":9223372036854775807,"supervisor":0})",
        R"({"event":"beat","sent":"1","supervisor":0})",
        R"({"event":"remark","line":"a\nb"})",
        R"({"event":"remark","line":["a"]})",
        R"({"event":"remark","line":""})",
        R"({"event":"hangs","rank":-1,"message":"x"})",
        R"({"event":"hangs","rank":1,"message":""})",
        R"({"event":"hangs","rank":1})",
        R"({"event":"stuck","ranks":[-1]})",
        R"({"event":"stuck","ranks":{"0":1}})",
        R"({"event":"stuck","ranks":[4294967296]})",
        R"({"event":"ended","rank":[1,2],"status":0,"time":[0,0]})",
        R"({"event":"ended","rank":[1,2,3],"status":2147483648,"time":[0,0]})",
        R"({"event":"ended","rank":[1,2,3],"status":0,"time":[0,-1]})",
        R"({"event":"ended","rank":[1,2,3],"status":0,"time":[0]})",
        R"({"event":"ended","rank":[1,2,3],"status":0,"time":[0,0],"out_of_memory":1})",
        R"({"event":"ended","rank":[1,2,3],"status":0,"time":[0,0],"exception":[]})",
        R"({"event":"remark","line":[[[[[[]]]]]]})",
        "{\"event\":\"remark\",\"line\":\"\xFF\"}"}) {
    EXPECT_THROW(event_from_agent(text), Error) << text;
  }
  EXPECT_THROW(event_from_agent(std::string(200'000, '[')), Error);
  const auto long_line = R"({"event":"remark","line":")" + std::string(1025, 'x') + "\"}";
  EXPECT_THROW(event_from_agent(long_line), Error);
}

TEST(EventsTest, RefusesWhatNoSupervisorSends) {
  for (const char* text : {"", R"({"event":"end"})", R"({"event":"end","grace":-1})",
                           R"({"event":"end","grace":86400001})", R"({"event":"bye"})"}) {
    EXPECT_THROW(event_from_supervisor(text), Error) << text;
  }
}

// A newer agent may say more than this supervisor knows.
TEST(EventsTest, OverlooksFieldsThatItDoesNotKnow) {
  event_from_agent(R"({"event":"bye","since":[1,{"a":2}]})");
}

TEST(EventsTest, BringsOverWhatIsShown) {
  const Shown shown{{7, view::Stream::err}, 1ULL << 40};
  const auto same = std::get<Shown>(event_from_supervisor(to_text(FromSupervisor(shown))));
  EXPECT_EQ(same.source, shown.source);
  EXPECT_EQ(same.offset, shown.offset);
}

TEST(EventsTest, RefusesWhatIsShownOfNoStream) {
  for (const auto* const text : {R"({"event":"shown","rank":7,"stream":0,"offset":1})",
                                 R"({"event":"shown","rank":7,"stream":3,"offset":1})",
                                 R"({"event":"shown","rank":7,"stream":1,"offset":-1})",
                                 R"({"event":"shown","rank":-7,"stream":1,"offset":1})"}) {
    EXPECT_THROW(event_from_supervisor(text), Error) << text;
  }
}

}  // namespace
}  // namespace muster::watch
