#include "core/dump/collectives.hpp"

#include "core/dump/collective_text.hpp"
#include "core/dump/groups.hpp"
#include "made_up_looks.hpp"

#include <random>

#include <gtest/gtest.h>

namespace muster::dump {
namespace {

using Ranks = std::set<std::uint32_t>;

GroupProgress at(std::uint64_t enqueued, std::uint64_t completed,
                 std::string operation = "all_reduce", std::string group = "0") {
  return {.group = group,
          .text = group == "0" ? "default_pg" : "undefined",
          .backend = "gloo",
          .ranks = "0-3",
          .enqueued = enqueued,
          .completed = completed,
          .operation = std::move(operation)};
}

ProcessLook rank_at(std::uint32_t rank, std::vector<GroupProgress> groups) {
  auto one = look(rank, {});
  one.recorder = Recorder{.rank = rank, .groups = std::move(groups)};
  return one;
}

Looks looks_of(std::vector<ProcessLook> looks) {
  return {.processes = std::move(looks)};
}

Looks one_missing() {
  return looks_of({rank_at(0, {at(4, 3)}), rank_at(1, {at(3, 3)}), rank_at(2, {at(4, 3)}),
                   rank_at(3, {at(4, 3)})});
}

const Ranks all{0, 1, 2, 3};

TEST(StuckCollectives, NameTheRankThatHasNotComeAndTheOperation) {
  const auto stuck = stuck_collectives(one_missing(), all);
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck[0].missing, Ranks{1});
  EXPECT_EQ(stuck[0].waiting, (Ranks{0, 2, 3}));
  EXPECT_EQ(collective_line(stuck[0], 40),
            "MISSING rank 1 in all_reduce 4 of default_pg (gloo); reached by ranks 0,2-3");
}

TEST(StuckCollectives, SayNothingWhereEverythingIsDoneOrMoves) {
  EXPECT_TRUE(
      stuck_collectives(looks_of({rank_at(0, {at(4, 4)}), rank_at(1, {at(3, 3)})}), all).empty());
  auto moving = at(4, 3);
  moving.moves = true;
  EXPECT_TRUE(
      stuck_collectives(looks_of({rank_at(0, {moving}), rank_at(1, {at(3, 3)})}), all).empty());
}

TEST(StuckCollectives, CountTheFirstUnfinishedOneWhereRanksHaveEnqueuedSeveral) {
  auto started = at(9, 5);
  started.started = 6;
  auto other = at(7, 5);
  other.started = 5;
  const auto stuck = stuck_collectives(looks_of({rank_at(0, {started}), rank_at(1, {other})}), all);
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck[0].number, 6U);
  EXPECT_EQ(stuck[0].waiting, Ranks{0});
  EXPECT_EQ(stuck[0].missing, Ranks{1});  // enqueued, but never started
}

TEST(StuckCollectives, NameTheRanksThatCallSomethingElse) {
  const auto stuck =
      stuck_collectives(looks_of({rank_at(0, {at(4, 3)}), rank_at(1, {at(4, 3, "broadcast")}),
                                  rank_at(2, {at(4, 3)}), rank_at(3, {at(4, 3)})}),
                        all);
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(collective_line(stuck[0], 40),
            "DIFFERENT calls in collective 4 of default_pg (gloo): ranks 0,2-3 all_reduce, rank 1 "
            "broadcast");
}

TEST(StuckCollectives, NameTheRanksOfTheGroupThatGaveNoAnswer) {
  const auto looks = looks_of({rank_at(0, {at(4, 3)}), rank_at(2, {at(4, 3)})});
  const auto stuck = stuck_collectives(looks, all);
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(collective_line(stuck[0], 40),
            "NO ANSWER from ranks 1,3 on all_reduce 4 of default_pg (gloo); reached by ranks 0,2");
  EXPECT_TRUE(stuck_collectives(looks, {0, 2})[0].no_answer.empty()) << "1 and 3 were not asked";
}

TEST(StuckCollectives, SayWhereNobodyIsMissing) {
  const auto stuck =
      stuck_collectives(looks_of({rank_at(0, {at(4, 3)}), rank_at(1, {at(4, 3)})}), {0, 1});
  EXPECT_EQ(collective_line(stuck.at(0), 40),
            "NONE MISSING in all_reduce 4 of default_pg (gloo): reached by ranks 0-1");
}

TEST(MissingRanks, AreThoseThatWaitForNobodyThemselves) {
  // 0 waits for 1 in the default group, and 1 for 2 in a different one.
  const auto looks = looks_of({rank_at(0, {at(4, 3)}), rank_at(1, {at(3, 3), at(2, 1, "", "5")}),
                               rank_at(2, {at(3, 3), at(1, 1, "", "5")})});
  EXPECT_EQ(missing_ranks(stuck_collectives(looks, all)), Ranks{2});
}

TEST(Groups, MakeSuspectsOfMissingRanksWhateverTheirStacksSay) {
  const auto dump = make_dump({"42.0", 4, {}}, one_missing());
  ASSERT_EQ(dump.groups.size(), 2U);
  EXPECT_EQ(dump.groups[0].standing, Standing::suspect);
  EXPECT_EQ(dump.groups[0].ranks, std::vector<std::uint32_t>{1});
  EXPECT_EQ(dump.groups[1].standing, Standing::waiting);
}

// Whatever ranks report: a missing rank is never one that is in the collective, and a rank that is ahead of
// all others is never missing.
TEST(StuckCollectives, KeepRanksApartWhateverTheySay) {
  std::mt19937 chance(7);
  const auto roll = [&](std::uint64_t most) { return chance() % (most + 1); };
  for (int round = 0; round < 2000; ++round) {
    std::vector<ProcessLook> looks;
    std::map<std::uint32_t, std::uint64_t> enqueued;
    const auto ranks = 1 + roll(5);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      auto progress = at(roll(5), 0);
      progress.completed = roll(progress.enqueued);
      progress.moves = roll(4) == 0;
      enqueued[rank] = progress.enqueued;
      looks.push_back(rank_at(rank, {progress}));
    }
    for (const auto& each : stuck_collectives(looks_of(looks), all)) {
      EXPECT_FALSE(each.waiting.empty());
      for (const auto rank : each.missing) {
        EXPECT_FALSE(each.waiting.contains(rank));
        EXPECT_LT(enqueued[rank], each.number);
      }
      for (const auto rank : each.no_answer) EXPECT_GE(rank, ranks);
    }
  }
}

}  // namespace
}  // namespace muster::dump
