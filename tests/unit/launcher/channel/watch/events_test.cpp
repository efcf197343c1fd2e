#include "launcher/channel/watch/events.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "fixtures/random_record.hpp"

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

TEST(EventsTest, ComeBackAsTheyWereAndNothingElseDoes) {
  fixtures::expect_one_form<FromAgent>();
  fixtures::expect_one_form<FromSupervisor>();
  for (unsigned seed = 0; seed < 50; ++seed)
    EXPECT_FALSE(view::is_output(to_text(fixtures::random_value<FromAgent>(seed))));
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
  EXPECT_EQ(through(Group{moment(5), "no NCCL"}).time, moment(5));
  EXPECT_EQ(through(Group{moment(5), "a\nb"}).line, "a b");
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
                 .signs = status::Signs{1, 2, 3, 4, status::Collectives{5, 6, 7}, true}}};
  EXPECT_EQ(through(counted).number, 7U);
  EXPECT_EQ(through(counted).counts, counted.counts);
  EXPECT_EQ(through(Counted()).counts, status::Counts());
  const auto count = event_from_supervisor(to_text(FromSupervisor(Count{9})));
  EXPECT_EQ(std::get<Count>(count).number, 9U);
}

TEST(EventsTest, HasRoomForAsManyCollectivesAsAPieceHas) {
  slow::Group group{.name = std::string(slow::max_name_bytes, 'n'),
                    .text = std::string(slow::max_name_bytes, 't'),
                    .ranks = std::string(slow::max_ranks_bytes, '1')};
  group.size = slow::max_rank + 1;
  slow::Collective collective{.group = 15,
                              .operation = 15,
                              .number = std::numeric_limits<std::uint64_t>::max(),
                              .count = std::numeric_limits<std::uint32_t>::max(),
                              .rank = slow::max_rank,
                              .first = 10min,
                              .last = 10min,
                              .before = 10min,
                              .end = 20min};
  slow::Piece piece{.base = -slow::longest_step, .error = slow::greatest_error};
  piece.groups.resize(slow::max_groups, group);
  piece.operations.resize(slow::max_operations, std::string(slow::max_name_bytes, 'o'));
  piece.collectives.resize(2 * slow::max_in_piece, collective);
  EXPECT_LE(to_text(FromAgent(Arrived{piece})).size(), max_event_bytes);
  EXPECT_EQ(through(Arrived{piece}).piece.collectives.size(), slow::max_in_piece);
}

TEST(EventsTest, BringsTheTrafficOfAsManyAddressesOverAsThereIsRoomFor) {
  slow::Traffic traffic;
  traffic.own.resize(2 * slow::max_own_addresses, {{0xff, 0xff}});
  slow::Flow flow{.to = {{1, 2, 3}}, .bytes = 1ULL << 50, .busy = 24h, .most = 24h};
  flow.segments = flow.repeated = 1ULL << 50;
  flow.looks = flow.queued = std::numeric_limits<std::uint32_t>::max();
  traffic.flows.resize(2 * slow::max_flows, flow);
  EXPECT_LE(to_text(FromAgent(Carried{traffic})).size(), max_event_bytes);
  const auto carried = through(Carried{traffic}).traffic;
  EXPECT_EQ(carried.own.size(), slow::max_own_addresses);
  EXPECT_EQ(carried.flows, std::vector(slow::max_flows, flow));
  traffic.flows.resize(1);
  traffic.flows[0].most = -1us;
  EXPECT_THROW(through(Carried{traffic}), Error);
}

TEST(EventsTest, RefusesCountsThatCannotBe) {
  constexpr auto too_many = (std::int64_t{1} << 56) + 1;
  for (const status::Traffic traffic : {status::Traffic{-1, 0}, status::Traffic{0, too_many}}) {
    for (const auto member :
         {&status::Counts::network, &status::Counts::rdma, &status::Counts::files}) {
      Counted counted;
      counted.counts.*member = traffic;
      EXPECT_THROW(through(counted), Error);
    }
  }
  Counted counted;
  counted.counts.signs = status::Signs{};
  counted.counts.signs->storage = -1;
  EXPECT_THROW(through(counted), Error);
}

// The longest possible values, whatever their bytes are.
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
  for (const auto& text : {std::string(), std::string("{}"), std::string(200'000, '1'),
                           to_text(FromSupervisor(End{1s}))})
    EXPECT_THROW(event_from_agent(text), Error) << text.substr(0, 80);
  EXPECT_THROW(through(Remark{""}), Error);
  EXPECT_THROW(through(Hangs{1, ""}), Error);
  Ended early{full_end()};
  early.end.time.error = -1ns;
  EXPECT_THROW(through(early), Error);
  early.end.time = {.time = std::chrono::nanoseconds::min(), .error = {}};
  EXPECT_THROW(through(early), Error);
}

TEST(EventsTest, RefusesWhatNoSupervisorSends) {
  for (const auto& text :
       {std::string(), to_text(FromAgent(Bye())), to_text(FromSupervisor(Signal{0})),
        to_text(FromSupervisor(Signal{65})), to_text(FromSupervisor(Signal{-1}))})
    EXPECT_THROW(event_from_supervisor(text), Error) << text;
}

TEST(EventsTest, BringsAGraceOfADayAtMost) {
  const auto grace = [](std::chrono::milliseconds wanted) {
    return std::get<End>(event_from_supervisor(to_text(FromSupervisor(End{wanted})))).grace;
  };
  EXPECT_EQ(grace(48h), 24h);
  EXPECT_EQ(grace(-1s), 0s);
}

TEST(EventsTest, BringsOverWhatIsShown) {
  const Shown shown{{7, view::Stream::err}, 1ULL << 40};
  const auto same = std::get<Shown>(event_from_supervisor(to_text(FromSupervisor(shown))));
  EXPECT_EQ(same.source, shown.source);
  EXPECT_EQ(same.offset, shown.offset);
}

TEST(EventsTest, RefusesWhatIsShownOfNoStream) {
  for (const auto stream : {view::Stream{0}, view::Stream{3}}) {
    const auto text = to_text(FromSupervisor(Shown{{7, stream}, 1}));
    EXPECT_THROW(event_from_supervisor(text), Error) << text;
  }
  const auto text = to_text(FromSupervisor(Shown{{7, view::Stream::out}, 1ULL << 63U}));
  EXPECT_THROW(event_from_supervisor(text), Error) << text;
}

}  // namespace
}  // namespace muster::watch
