#include "core/cost/account.hpp"

#include "core/cost/text.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::cost {
namespace {

using namespace std::chrono_literals;

// Starts for a second, runs for `ran`, is noticed to have failed after one more second, and is over 2 s later.
Attempt attempt_at(Time launched, Time ran, std::uint32_t gpus = 0) {
  const auto ceased = launched + 1s + ran;
  return {.launched = launched,
          .all_started = launched + 1s,
          .ceased = ceased,
          .ending = ceased + 1s,
          .over = ceased + 3s,
          .gpus = gpus};
}

Account account_of(const std::vector<Attempt>& attempts) {
  return account(attempts, losses(attempts));
}

TEST(Account, CountsTheGpusOfEachAttempt) {
  const auto found = account_of({attempt_at(0s, 100s, 16), attempt_at(114s, 50s, 8)});
  EXPECT_EQ(found.lost_gpus.at("launch"), 16 + 8);
  EXPECT_EQ(found.lost_gpus.at("stop"), 2 * 16 + 2 * 8);
  EXPECT_EQ(found.lost_gpus.at("pause"), 10 * 8);  // with those that the next attempt had
  EXPECT_FALSE(found.lost_gpus.contains("lost_work"));
  EXPECT_TRUE(account_of({attempt_at(0s, 100s)}).lost_gpus.empty());
}

TEST(Account, CountsNoGpusInTheQueue) {
  auto next = attempt_at(200s, 50s, 8);
  next.after_requeue = true;
  const auto found = account_of({attempt_at(0s, 100s, 8), next});
  EXPECT_EQ(found.queue, 96s);
  EXPECT_EQ(found.lost_gpus.at("queue"), 0);
}

TEST(Account, HasTheGpusOfTheAttemptBeforeWhereNoNodeHasTold) {
  const auto found = account_of({attempt_at(0s, 100s, 16), attempt_at(104s, 0s, 0)});
  EXPECT_EQ(found.lost_gpus.at("launch"), 2 * 16);
}

TEST(Account, KnowsAtMostHowMuchWorkWasDoneTwice) {
  const auto found =
      account_of({attempt_at(0s, 100s), attempt_at(104s, 50s), attempt_at(200s, 30s)});
  EXPECT_EQ(effective(found), 180s);
  EXPECT_EQ(lost_work_limit(found), 150s);
  EXPECT_EQ(lost_work_limit(account_of({attempt_at(0s, 100s)})), 0s);
  EXPECT_EQ(lost_work_limit(Account()), 0s);
}

TEST(Account, SaysAtMostAndAtLeastWhereOnlyTheProcessGroupIsKnown) {
  auto first = attempt_at(0s, 100s);
  first.group = 11s;
  auto second = attempt_at(104s, 50s);
  second.group = 117s;
  const auto found = account_of({first, second});
  EXPECT_EQ(found.startup, 22s);
  EXPECT_FALSE(found.has_progress);
  EXPECT_EQ(
      to_text(found),
      "trained at most 81.0 % of 2 min 38 s; lost work at most 1 min 30 s, program start at least 22.0 s, "
      "start 2.0 s, detection 2.0 s, stop 4.0 s, pauses 0 ms");
}

TEST(Account, KnowsHowLongSlowRanksHeldUpTheTraining) {
  auto attempt = attempt_at(0s, 100s);
  attempt.held_up = 8s;
  const auto found = account_of({attempt});
  EXPECT_EQ(found.held_up, 8s);
  EXPECT_EQ(effective(found), 100s);  // it trained, though more slowly than it could
  EXPECT_NE(to_text(found).find("(8.0 s of it lost to slow ranks or links)"), std::string::npos);
  attempt.held_up = 200s;
  EXPECT_EQ(account_of({attempt}).held_up, 100s);
}

TEST(Account, OfTwoPartsIsTheSum) {
  const auto left = account_of({attempt_at(0s, 100s, 16)});
  const auto right = account_of({attempt_at(0s, 50s, 8)});
  const auto both = sum(left, right);
  EXPECT_EQ(both.lost_gpus.at("launch"), 24);
  EXPECT_EQ(lost_work_limit(both), 100s);
  EXPECT_EQ(sum(left, Account()).lost_gpus, left.lost_gpus);
}

}  // namespace
}  // namespace muster::cost
