// Random steps with one true first failure: whatever the other ranks do about it, the report names that one.
#include "core/report/report.hpp"
#include "fixtures/random_text.hpp"
#include "made_up_step.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

using fixtures::RandomText;
using std::chrono::microseconds;

struct Truth {
  Record record;
  std::uint32_t rank = 0;
};

// The first of the others comes `gap` later; every clock's error is less than half of that.
constexpr microseconds gap{1000};

Moment measured(RandomText& random, Moment truth) {
  const auto error = microseconds(random.below(gap.count() / 2));
  const auto wrong_by = microseconds(random.below(2 * error.count() + 1)) - error;
  return {truth.time + wrong_by, error};
}

// Fails by itself: with or without an error file, by a signal or for lack of memory.
void add_first(RandomText& random, Record& record, std::uint32_t rank, Moment failure) {
  constexpr std::array statuses{7 << 8, 137 << 8, 9, 6, 11 | 0x80, 34, 125};
  if (random.below(2) == 0) {
    RankEnd& end = add_exception(record, rank, "RuntimeError: boom", measured(random, failure));
    end.time.time += microseconds(random.below(5'000'000));  // its teardown
    return;
  }
  RankEnd& end =
      add_end(record, rank, statuses.at(random.below(statuses.size())), measured(random, failure));
  end.out_of_memory = end.wait_status == 9;
}

void add_other(RandomText& random, Record& record, std::uint32_t rank, Moment failure) {
  const Moment later = {failure.time + gap + microseconds(random.below(3'000'000)), {}};
  const Moment sooner = {failure.time - microseconds(random.below(100'000)), {}};
  switch (random.below(5)) {
    case 0:  // sees the first rank's sockets close while that one is still in its teardown
      add_lost_peer(record, rank, measured(random, random.below(2) == 0 ? sooner : later));
      break;
    case 1:
      add_victim(record, rank, measured(random, later));
      break;
    case 2:
      add_end(record, rank, exited(1), measured(random, later));
      break;
    case 3:
      add_exception(record, rank, "AssertionError: incomplete batch", measured(random, later));
      break;
    default:
      if (random.below(2) == 0) add_success(record, rank, measured(random, later));
      break;
  }
}

Truth random_step(RandomText& random) {
  const auto nodes = static_cast<std::uint32_t>(3 + random.below(6));
  const auto tasks = static_cast<std::uint32_t>(1 + random.below(4));
  Truth truth{made_up_step(nodes, tasks), static_cast<std::uint32_t>(random.below(nodes * tasks))};
  truth.record.srun_wait_status = exited(143);
  const Moment failure = at(2s + microseconds(random.below(9'000'000)));
  std::vector<std::uint32_t> arrival(truth.record.ranks);
  std::iota(arrival.begin(), arrival.end(), 0U);
  for (std::size_t i = arrival.size(); i > 1; --i)
    std::swap(arrival[i - 1], arrival[random.below(i)]);
  for (const auto rank : arrival) {
    if (rank == truth.rank) {
      add_first(random, truth.record, rank, failure);
    } else {
      add_other(random, truth.record, rank, failure);
    }
  }
  truth.record.ending = {failure.time + gap, {}};
  return truth;
}

TEST(RandomFailures, AreNamedRightInAll1000Steps) {
  RandomText random(1313);
  for (int i = 0; i < 1000; ++i) {
    const Truth truth = random_step(random);
    const Report report = make_report(truth.record, {});
    ASSERT_TRUE(report.first) << i;
    ASSERT_EQ(report.first->end.place.rank, truth.rank) << i;
    ASSERT_EQ(report.first->node,
              truth.record.nodes[truth.rank / truth.record.nodes.front().tasks].name);
    ASSERT_EQ(report.result, Result::failed);
    std::size_t told = 1 + report.others.size();
    for (const auto& victims : report.victims) told += victims.ranks.size();
    const auto failed = std::ranges::count_if(
        truth.record.ends, [](const RankEnd& end) { return end.wait_status != 0; });
    ASSERT_EQ(told, static_cast<std::size_t>(failed)) << i;
  }
}

}  // namespace
}  // namespace muster::report
