#include "core/dump/groups.hpp"

#include "made_up_looks.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace muster::dump {
namespace {

using RankList = std::vector<std::uint32_t>;

Dump dump_with(std::uint32_t ranks, Looks looks, std::set<std::uint32_t> asked = {}) {
  return make_dump({"42.0", ranks, std::move(asked)}, std::move(looks));
}

TEST(Groups, TakeTheLargestForWaitingAndTheOthersForSuspects) {
  Looks looks;
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    looks.processes.push_back(look(rank, rank == 5 ? in_data_loading : in_all_reduce));
  }
  const auto dump = dump_with(8, looks);
  ASSERT_EQ(dump.groups.size(), 2U);
  EXPECT_EQ(dump.groups[0].standing, Standing::suspect);
  EXPECT_EQ(dump.groups[0].ranks, RankList{5});
  EXPECT_EQ(dump.groups[0].stack, in_data_loading);
  EXPECT_EQ(dump.groups[1].standing, Standing::waiting);
  EXPECT_EQ(dump.groups[1].ranks, (RankList{0, 1, 2, 3, 4, 6, 7}));
}

TEST(Groups, OfTwoRanksTakeTheOneInACollectiveForTheWaitingOne) {
  for (const std::uint32_t waiting : {0, 1}) {
    Looks looks;
    looks.processes = {look(waiting, in_all_reduce), look(1 - waiting, in_data_loading)};
    const auto dump = dump_with(2, looks);
    ASSERT_EQ(dump.groups.size(), 2U);
    EXPECT_EQ(dump.groups[0].ranks, RankList{1 - waiting});
    EXPECT_EQ(dump.groups[1].ranks, RankList{waiting});
  }
}

TEST(Groups, PutFirstWhoCannotGoOnByItself) {
  Looks looks;
  looks.processes = {look(0, in_all_reduce), look(1, in_all_reduce), look(2, in_all_reduce, 'T'),
                     look(3, {}, 'D')};
  const auto dump = dump_with(5, looks);
  ASSERT_EQ(dump.groups.size(), 4U);
  for (int i : {0, 1, 2}) EXPECT_EQ(dump.groups[i].standing, Standing::silent);
  std::set<std::string> reasons;
  for (const auto& group : dump.groups) reasons.insert(group.what);
  EXPECT_TRUE(reasons.contains("no answer"));
  EXPECT_TRUE(reasons.contains("stopped by a signal (state T)"));
  EXPECT_TRUE(reasons.contains("in uninterruptible sleep (state D) in poll"));
  EXPECT_EQ(dump.groups[3].ranks, (RankList{0, 1}));
}

TEST(Groups, DoNotTakeAMomentInStateDForAStandstill) {
  auto moment = look(0, in_all_reduce);
  moment.first.state = 'D';
  Looks looks;
  looks.processes = {moment};
  EXPECT_EQ(dump_with(1, looks).groups.at(0).standing, Standing::waiting);
}

TEST(Groups, TellRanksThatMoveAndThatSpin) {
  auto moving = look(0, in_all_reduce);
  moving.second.threads = main_thread(in_data_loading);
  auto spinning = look(1, in_all_reduce);
  spinning.second.cpu_ms = 1010;
  const auto runnable = look(3, in_all_reduce, 'R');
  Looks looks;
  looks.processes = {moving, spinning, look(2, in_all_reduce), runnable};
  const auto dump = dump_with(4, looks);
  ASSERT_EQ(dump.groups.size(), 3U);
  for (const auto& group : dump.groups) {
    EXPECT_EQ(group.moves, group.ranks == RankList{0});
    EXPECT_EQ(group.what == "computing or spinning", group.ranks == (RankList{1, 3})) << group.what;
  }
}

TEST(Groups, WithoutStacksGoByTheKernelsWord) {
  auto one = look(0, {});
  auto other = look(1, {});
  other.first.wait = other.second.wait = "futex_wait_queue";
  other.remark = "no py-spy";
  Looks looks;
  looks.processes = {one, look(2, {}), other};
  const auto dump = dump_with(3, looks);
  ASSERT_EQ(dump.groups.size(), 2U);
  EXPECT_EQ(dump.groups[0].what, "sleeping in futex_wait_queue");
  EXPECT_EQ(dump.groups[0].remark, "no py-spy");
  EXPECT_EQ(dump.groups[1].ranks, (RankList{0, 2}));
}

TEST(Groups, LookThroughAWrapperAtThePythonProgramBelow) {
  auto shell = look(0, {});
  shell.program = "bash";
  auto python = look(0, in_all_reduce);
  python.pid = 1500;
  python.parent = shell.pid;
  Looks looks;
  looks.processes = {shell, python};
  const auto dump = dump_with(1, looks);
  EXPECT_EQ(dump.groups.at(0).stack, in_all_reduce);
  EXPECT_EQ(dump.groups.at(0).pid, 1500U);
}

TEST(Groups, HaveTheChildrenOfRanksApart) {
  Looks looks;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    looks.processes.push_back(look(rank, in_all_reduce));
    for (std::uint32_t i = 0; i < 4; ++i) {
      auto worker = look(rank, in_data_loading, rank == 1 && i == 3 ? 'T' : 'S');
      worker.pid = 2000 + 10 * rank + i;
      worker.parent = 1000 + rank;
      looks.processes.push_back(worker);
    }
  }
  const auto dump = dump_with(2, looks);
  EXPECT_EQ(dump.groups.size(), 1U);
  ASSERT_EQ(dump.children.size(), 2U);
  EXPECT_TRUE(dump.children[0].stands_still);
  EXPECT_EQ(dump.children[0].pid, 2013U);
  EXPECT_EQ(dump.children[1].processes, 7U);
  EXPECT_EQ(dump.children[1].ranks, (std::set<std::uint32_t>{0, 1}));
}

TEST(Groups, SayARemarkOnceForAllItsNodes) {
  Looks looks;
  looks.remarks = {{"node2", "no py-spy"}, {"node1", "no py-spy"}, {"node3", "slow"}};
  EXPECT_EQ(dump_with(0, looks).remarks,
            (std::vector<std::string>{"node1 and 1 more: no py-spy", "node3: slow"}));
}

TEST(Representatives, AreOneRankOfEachOfTheLargestGroupsThatMayGoOn) {
  Looks looks;
  for (const std::uint32_t rank : {4, 5, 6}) looks.processes.push_back(look(rank, in_all_reduce));
  for (const std::uint32_t rank : {2, 3}) looks.processes.push_back(look(rank, in_data_loading));
  looks.processes.push_back(look(1, {{"f", "a.py", 1}}));
  looks.processes.push_back(look(0, {}, 'T'));
  const auto dump = dump_with(7, looks);
  EXPECT_EQ(representatives(dump, 4), (std::set<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(representatives(dump, 2), (std::set<std::uint32_t>{2, 4}));
}

TEST(NativeLooks, TakeThePlaceOfTheirGroupsStack) {
  Looks looks;
  looks.processes = {look(0, in_all_reduce), look(1, in_all_reduce), look(2, in_data_loading)};
  auto dump = dump_with(3, looks);
  const std::vector<Frame> native{{"epoll_wait", "/lib/libc.so.6", 0}};
  Looks more;
  more.processes = {look(0, native)};
  add_native_looks(dump, more);
  EXPECT_EQ(dump.groups[0].stack, in_data_loading);
  EXPECT_EQ(dump.groups[1].stack, native);
  EXPECT_EQ(dump.looks.processes.size(), 4U);
}

TEST(CommonFrames, EndWithTheFrameWhoseLineHasChanged) {
  auto later = in_all_reduce;
  later[1].line = 32;
  const Sample first{.threads = main_thread(in_all_reduce)};
  const Sample second{.threads = main_thread(later)};
  EXPECT_EQ(common_frames(first, second),
            (std::vector<Frame>{{"step", "/home/alice/train.py", 0},
                                {"main", "/home/alice/train.py", 88}}));
}

// Random steps: whatever the nodes report, each requested rank is in exactly one group.
TEST(Groups, HaveEachRankThatIsAskedForExactlyOnce) {
  std::mt19937 random(15);
  const auto below = [&random](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  constexpr std::string_view states = "RSDTtZX?";
  for (int round = 0; round < 300; ++round) {
    const auto ranks = below(40);
    Looks looks;
    for (std::uint32_t i = below(80); i > 0; --i) {
      auto process =
          look(below(50), below(2) == 0 ? in_all_reduce : in_data_loading, states[below(8)]);
      process.parent = below(3) == 0 ? 1 + below(9) : 0;
      process.second.state = states[below(8)];
      if (below(3) == 0) process.first.threads.clear();
      if (below(3) == 0) process.second.threads.clear();
      process.second.cpu_ms = below(3000);
      looks.processes.push_back(process);
    }
    std::set<std::uint32_t> asked;
    for (std::uint32_t i = below(6); i > 0; --i) asked.insert(below(60));
    std::set<std::uint32_t> expected = asked;
    for (std::uint32_t rank = 0; asked.empty() && rank < ranks; ++rank) expected.insert(rank);
    if (asked.empty()) {
      for (const auto& process : looks.processes) expected.insert(process.rank);
    }
    RankList seen;
    for (const auto& group : dump_with(ranks, looks, asked).groups) {
      EXPECT_TRUE(std::ranges::is_sorted(group.ranks));
      seen.insert(seen.end(), group.ranks.begin(), group.ranks.end());
    }
    std::ranges::sort(seen);
    EXPECT_EQ(seen, RankList(expected.begin(), expected.end()));
  }
}

}  // namespace
}  // namespace muster::dump
