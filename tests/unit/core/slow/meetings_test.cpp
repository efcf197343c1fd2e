// From the ranks' answers to collectives that all have reached.
#include "core/slow/meetings.hpp"

#include "core/slow/node_arrivals.hpp"

#include <gtest/gtest.h>

namespace muster::slow {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

Group group(std::uint32_t size) {
  Group made{.name = "0", .ranks = "0-" + std::to_string(size - 1)};
  made.size = size;
  return made;
}

Answer answer(std::uint32_t rank, std::uint32_t size,
              std::vector<std::pair<std::uint64_t, int>> ms) {
  Answer made{.rank = rank, .groups = {group(size)}, .operations = {"all_reduce"}};
  for (const auto& [number, time] : ms)
    made.arrivals.push_back({.number = number, .wall = milliseconds(time)});
  return made;
}

std::optional<nanoseconds> same(nanoseconds wall) {
  return wall;
}

TEST(NodeArrivals, KeepTheFirstAndTheLastOfEachCollective) {
  NodeArrivals node;
  node.add(answer(0, 3, {{1, 100}, {2, 200}}), same);
  node.add(answer(1, 3, {{1, 130}, {2, 190}}), same);
  node.add(answer(2, 3, {{1, 110}, {2, 195}}), same);
  const auto piece = node.take(microseconds(7));
  ASSERT_TRUE(piece);
  ASSERT_EQ(piece->collectives.size(), 2U);
  EXPECT_EQ(piece->error, microseconds(7));
  const auto& first = piece->collectives[0];
  EXPECT_EQ((std::tuple(first.number, first.count, first.rank)), (std::tuple(1U, 3U, 1U)));
  EXPECT_EQ(piece->base + first.first, milliseconds(100));
  EXPECT_EQ(piece->base + first.last, milliseconds(130));
  EXPECT_EQ(piece->base + *first.before, milliseconds(110));
  EXPECT_EQ(piece->collectives[1].rank, 0U);
  EXPECT_FALSE(node.take(microseconds(7)));
}

TEST(NodeArrivals, WaitForARankThatIsBehind) {
  NodeArrivals node;
  node.add(answer(0, 2, {{1, 100}, {2, 200}}), same);
  node.add(answer(1, 2, {{1, 130}}), same);
  EXPECT_EQ(node.take(nanoseconds(0))->collectives.size(), 1U);
  node.add(answer(1, 2, {{2, 230}}), same);
  const auto piece = node.take(nanoseconds(0));
  ASSERT_TRUE(piece);
  EXPECT_EQ(piece->collectives[0].count, 2U);
}

TEST(NodeArrivals, LeaveOutTimesThatTheClockDoesNotKnow) {
  NodeArrivals node;
  node.add(answer(0, 2, {{1, 100}}), [](auto) { return std::optional<nanoseconds>(); });
  EXPECT_FALSE(node.take(nanoseconds(0)));
}

// What a rank's GPU waited: the host calls collectives long before.
Answer timed(std::uint32_t rank, std::uint32_t size, int called, std::optional<int> took) {
  auto made = answer(rank, size, {{1, called}});
  if (took) made.arrivals[0].took = milliseconds(*took);
  return made;
}

TEST(NodeArrivals, AreThoseOnTheGpuWhereTorchMeasuresThem) {
  NodeArrivals node;
  node.add(timed(0, 3, 100, 70), same);
  node.add(timed(1, 3, 90, 20), same);  // called first, and arrives last
  node.add(timed(2, 3, 105, 60), same);
  const auto piece = node.take(nanoseconds(0));
  ASSERT_TRUE(piece);
  const auto& only = piece->collectives.at(0);
  ASSERT_TRUE(only.end && only.before);
  EXPECT_EQ(only.rank, 1U);
  EXPECT_EQ(piece->base + *only.end, milliseconds(170));
  EXPECT_EQ(piece->base + only.first, milliseconds(100));
  EXPECT_EQ(piece->base + only.last, milliseconds(150));
  EXPECT_EQ(piece->base + *only.before, milliseconds(110));
}

TEST(NodeArrivals, AreThoseOfTheHostsIfOnlySomeRanksMeasure) {
  NodeArrivals node;
  node.add(timed(0, 2, 100, 70), same);
  node.add(timed(1, 2, 110, {}), same);
  const auto piece = node.take(nanoseconds(0));
  ASSERT_TRUE(piece);
  const auto& only = piece->collectives.at(0);
  EXPECT_FALSE(only.end);
  EXPECT_EQ(only.rank, 1U);
  EXPECT_EQ(piece->base + only.last, milliseconds(110));
}

TEST(NodeArrivals, OfAGroupThatWasGivenUpInTheMiddleDoNotHoldUpTheOthers) {
  NodeArrivals node;
  auto given_up = answer(0, 2, {{1, 100}});
  given_up.groups[0].name = "1";
  node.add(answer(1, 2, {{1, 90}}), same);
  node.add(given_up, same);
  given_up.rank = 1;  // has come to no collective but an earlier one
  given_up.arrivals = {{.number = 0, .wall = milliseconds(50)}};
  node.add(given_up, same);
  constexpr int hour = 3'600'000;
  for (const int rank : {0, 1})
    node.add(answer(static_cast<std::uint32_t>(rank), 2, {{2, hour + rank}, {3, hour + 1000}}),
             same);
  std::size_t taken = 0;
  for (int look = 0; look < 3; ++look) {
    const auto piece = node.take(nanoseconds(0));
    if (piece && piece->base >= milliseconds(hour)) taken += piece->collectives.size();
  }
  EXPECT_EQ(taken, 2U);
}

TEST(NodeArrivals, LeaveOutTimesThatNoStepReaches) {
  NodeArrivals node;
  node.add(answer(0, 2, {{1, 100}}), [](auto) { return std::optional(-2 * longest_step); });
  EXPECT_FALSE(node.take(nanoseconds(0)));
}

TEST(NodeArrivals, AreBounded) {
  NodeArrivals node;
  node.add(answer(1, 2, {{1, 1}}), same);
  for (int part = 0; part < 20; ++part) {
    std::vector<std::pair<std::uint64_t, int>> many;
    for (int i = 0; i < 768; ++i) many.emplace_back(part * 768 + i + 2, part * 768 + i + 2);
    node.add(answer(0, 2, many), same);
    const auto piece = node.take(nanoseconds(0));
    EXPECT_LE(piece ? piece->collectives.size() : 0, max_in_piece);
  }
}

Piece piece(nanoseconds base, std::uint32_t size, std::vector<Collective> collectives) {
  return {.base = base,
          .error = microseconds(100),
          .groups = {group(size)},
          .operations = {"all_reduce"},
          .collectives = std::move(collectives)};
}

Collective collective(std::uint64_t number, std::uint32_t count, std::uint32_t rank, int first,
                      int last, std::optional<int> before = {}) {
  Collective made{.number = number, .count = count, .rank = rank};
  made.first = milliseconds(first);
  made.last = milliseconds(last);
  if (before) made.before = milliseconds(*before);
  return made;
}

// Each node counts back from its own idea of the end; what its GPUs waited is exact, whatever its clock says.
TEST(Meetings, CompareWhatGpusWaitedAndNotTheClocks) {
  auto early = collective(1, 2, 0, 0, 30, 10);
  early.end = milliseconds(100);  // they waited 100, 90 and 70 ms
  auto late = collective(1, 2, 3, 0, 80, 60);
  late.end = milliseconds(95);  // 95, 35 and 15 ms
  const std::vector<Piece> pieces{piece(milliseconds(1000), 4, {early}),
                                  piece(milliseconds(700), 4, {late})};
  for (const bool turned : {false, true}) {
    Meetings meetings;
    meetings.add(turned ? 1 : 0, pieces[turned ? 1 : 0]);
    meetings.add(turned ? 0 : 1, pieces[turned ? 0 : 1]);
    const auto found = meetings.take();
    ASSERT_EQ(found.size(), 1U);
    const auto& only = found[0].meetings.at(0);
    EXPECT_EQ((std::pair(only.rank, only.node)), (std::pair(3U, std::size_t{1})));
    EXPECT_EQ(only.last, milliseconds(1100 - 15));
    EXPECT_EQ(only.before, milliseconds(1100 - 35));
    EXPECT_EQ(*only.other_node, milliseconds(1100 - 70));
    EXPECT_EQ(only.error, nanoseconds(0));
  }
}

TEST(Meetings, CompareTheHostsIfOneNodeDoesNotMeasure) {
  auto measured = collective(1, 1, 0, 0, 0);
  measured.end = milliseconds(500);
  Meetings meetings;
  meetings.add(0, piece(milliseconds(1000), 2, {measured}));
  meetings.add(1, piece(milliseconds(1010), 2, {collective(1, 1, 1, 0, 0)}));
  const auto found = meetings.take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].meetings.at(0).rank, 1U);
  EXPECT_EQ(found[0].meetings.at(0).error, microseconds(200));
}

TEST(Meetings, JoinTheNodesInAnyOrder) {
  const std::vector<Piece> pieces{piece(milliseconds(1000), 5, {collective(7, 2, 0, 0, 10, 0)}),
                                  piece(milliseconds(900), 5, {collective(7, 2, 3, 150, 190, 150)}),
                                  piece(milliseconds(1100), 5, {collective(7, 1, 4, 5, 5)})};
  for (const auto& order :
       std::vector<std::array<std::size_t, 3>>{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}}) {
    Meetings meetings;
    for (const auto node : order) meetings.add(node, pieces[node]);
    const auto found = meetings.take();
    ASSERT_EQ(found.size(), 1U);
    ASSERT_EQ(found[0].meetings.size(), 1U);
    const auto& meeting = found[0].meetings[0];
    EXPECT_EQ(meeting.node, 2U);
    EXPECT_EQ(meeting.rank, 4U);
    EXPECT_EQ(meeting.nodes, 3U);
    EXPECT_EQ(meeting.first, milliseconds(1000));
    EXPECT_EQ(meeting.last, milliseconds(1105));
    EXPECT_EQ(meeting.before, milliseconds(1090));
    EXPECT_EQ(meeting.other_node, milliseconds(1090));
    EXPECT_EQ(meeting.error, microseconds(200));
  }
}

TEST(Meetings, TheLastButOneMayBeOnTheSameNode) {
  Meetings meetings;
  meetings.add(0, piece(milliseconds(0), 3, {collective(1, 1, 0, 10, 10)}));
  meetings.add(1, piece(milliseconds(0), 3, {collective(1, 2, 2, 90, 100, 90)}));
  const auto found = meetings.take().at(0).meetings.at(0);
  EXPECT_EQ(found.before, milliseconds(90));
  EXPECT_EQ(found.other_node, milliseconds(10));
}

TEST(Meetings, WaitForANodeThatIsBehindAndPassOverOneThatSaysNothing) {
  Meetings meetings;
  meetings.add(0,
               piece(milliseconds(0), 2, {collective(1, 1, 0, 1, 1), collective(2, 1, 0, 5, 5)}));
  meetings.add(1, piece(milliseconds(0), 2, {collective(1, 1, 1, 2, 2)}));
  EXPECT_EQ(meetings.take().at(0).meetings.size(), 1U);
  EXPECT_TRUE(meetings.take().empty());
  meetings.add(1, piece(milliseconds(0), 2, {collective(3, 1, 1, 9, 9)}));  // it has not told of 2
  EXPECT_TRUE(meetings.take().empty());
  meetings.add(0, piece(milliseconds(0), 2, {collective(3, 1, 0, 8, 8)}));
  const auto found = meetings.take();
  ASSERT_EQ(found.at(0).meetings.size(), 1U);
  EXPECT_EQ(found[0].meetings[0].number, 3U);
}

TEST(Meetings, BeginAgainWithAGroupThatWasMadeAgain) {
  Meetings meetings;
  const auto add_both = [&](int base, std::uint64_t number) {
    meetings.add(0, piece(milliseconds(base), 2, {collective(number, 1, 0, 1, 1)}));
    meetings.add(1, piece(milliseconds(base), 2, {collective(number, 1, 1, 2, 2)}));
  };
  add_both(100, 500);
  EXPECT_EQ(meetings.take().size(), 1U);
  add_both(200, 1);
  ASSERT_EQ(meetings.take().size(), 1U);
  add_both(50, 1);  // late
  EXPECT_TRUE(meetings.take().empty());
}

}  // namespace
}  // namespace muster::slow
