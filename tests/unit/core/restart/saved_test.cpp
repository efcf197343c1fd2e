#include "core/restart/saved.hpp"

#include "core/restart/decision.hpp"
#include "past_attempts.hpp"
#include "unit/core/report/made_up_step.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using std::chrono::system_clock;

const system_clock::time_point start{std::chrono::seconds(1'800'000'000)};

std::vector<AttemptHistory> attempts(std::size_t count) {
  std::vector<AttemptHistory> past;
  while (past.size() < count) add_attempt(past, 1h).first_node = "node1";
  return past;
}

TEST(Saved, ComesBackAsItWas) {
  auto past = attempts(3);
  past[1].cause = std::nullopt;
  past[1].first_start = std::nullopt;
  past[2].result = report::Result::preempted;
  past[2].port_taken = true;
  const auto saved = saved_from(to_text({2, 3, past}, start), start);
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->requeues, 2U);
  EXPECT_EQ(saved->past, past);
}

TEST(Saved, HasWhatAnAttemptCost) {
  auto past = attempts(2);
  past[0].cost = cost::Attempt{.launched = past[0].launched,
                               .all_started = 2s,
                               .ceased = 50s,
                               .ending = 51s,
                               .over = past[0].over,
                               .asleep = 3s,
                               .hung = true,
                               .after_requeue = true,
                               .progress = cost::Progress({{4s, 1}, {5s, 2.5}, {6s, {}}}),
                               .group = 3s,
                               .held_up = 7s,
                               .gpus = 16};
  const auto saved = saved_from(to_text({0, 2, past}, start), start);
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->past, past);
  const auto later = saved_from(to_text({0, 2, past}, start), start + 1h);
  EXPECT_EQ(later->past[0].cost->progress.marks()[1].time, 5s - 1h);
}

TEST(Saved, HasTheNewestStartUpErrors) {
  auto past = attempts(20);
  for (auto& attempt : past) attempt.start_error = {"node2", "ImportError: x"};
  past[18].start_error.reset();
  const auto text = to_text({0, 20, past}, start);
  const auto saved = saved_from(text, start);
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->past[19], past[19]);
  EXPECT_EQ(saved->past[18], past[18]);
  EXPECT_TRUE(saved->past[4].start_error);
  EXPECT_FALSE(saved->past[3].start_error);
  for (const auto* const attempt : {"20", "-1", "\"4\""}) {
    auto other = text;
    other.replace(other.find("[[4,") + 2, 1, attempt);
    EXPECT_FALSE(saved_from(other, start)) << attempt;
  }
}

TEST(Saved, OfManyLongAttemptsFitsItsLimit) {
  auto past = attempts(4000);
  for (auto& attempt : past) {
    attempt.cost.emplace();
    for (int i = 0; i < 100; ++i) attempt.cost->progress.add({i * 1s, 1e14 + i});
  }
  const auto text = to_text({0, 4000, past}, start);
  EXPECT_LE(text.size(), max_saved_bytes);
  const auto saved = saved_from(text, start);
  ASSERT_TRUE(saved);
  EXPECT_FALSE(saved->past.front().cost);
  EXPECT_TRUE(saved->past.back().cost);
}

TEST(Saved, CountsTimesFromTheLaterSupervisorsStart) {
  const auto past = attempts(1);
  const auto saved = saved_from(to_text({0, 1, past}, start), start + 24h);
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->past[0].failed, past[0].failed - 24h);
}

TEST(Saved, HasAnAttemptOfWhichNothingIsKnownAsNoFailure) {
  auto saved = saved_from(to_text({0, 2, attempts(1)}, start), start);
  ASSERT_TRUE(saved);
  ASSERT_EQ(saved->past.size(), 2U);
  EXPECT_EQ(saved->past[1].number, 1U);
  EXPECT_NE(saved->past[1].result, report::Result::failed);
  EXPECT_TRUE(saved_from(to_text(*saved, start), start));
}

TEST(Saved, LeavesOutWhatTheProgressFileHeld) {
  auto past = attempts(1);
  past[0].progress = "\xFF 17";
  const auto saved = saved_from(to_text({0, 1, past}, start), start);
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->past[0].progress, std::nullopt);
}

TEST(Saved, CarriesTheBudgetOver) {
  auto past = attempts(2);
  past[0].result = report::Result::preempted;
  const auto earlier = saved_from(to_text({0, 2, past}, start), start + 1h)->past;
  auto record = report::made_up_step(2, 1);
  record.srun_wait_status = report::exited(1);
  report::add_end(record, 1, report::exited(1), report::at(61s));
  const auto last = make_report(record, {});
  EXPECT_TRUE(decide({.restarts = 1}, earlier, last).again);
  auto more = earlier;
  add_attempt(more, 1h);
  EXPECT_EQ(decide({.restarts = 1}, more, last).why, "the only restart is used up");
}

TEST(Saved, TakesNoTextThatItHasNotWritten) {
  const auto whole = to_text({1, 2, attempts(2)}, start);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(saved_from(whole.substr(0, size), start)) << size;
  }
  for (const std::string text :
       {"", "null", "[]", "{}", "[[[[[[]]]]]]", R"({"version":2,"requeues":0,"begun":0,"past":[]})",
        R"({"version":1,"requeues":-1,"begun":0,"past":[]})",
        R"({"version":1,"requeues":0,"begun":10001,"past":[]})",
        R"({"version":1,"requeues":0,"begun":0,"past":[[1,0,1,"n",0,0,0,0]]})",
        R"({"version":1,"requeues":0,"begun":1,"past":[[5,0,1,"n",0,0,0,0]]})",
        R"({"version":1,"requeues":0,"begun":1,"past":[[1,99,1,"n",0,0,0,0]]})",
        R"({"version":1,"requeues":0,"begun":1,"past":[[1,0,1,"n",0,0]]})"}) {
    EXPECT_FALSE(saved_from(text, start)) << text;
  }
  EXPECT_FALSE(saved_from(std::string(max_saved_bytes + 1, ' '), start));
}

// It outlives an upgrade of muster, so a field may be added at the end of an attempt or of the whole.
TEST(Saved, IsReadFromAnOlderAndANewerReleaseOfTheSameVersion) {
  const std::string older =
      R"({"version":1,"requeues":0,"begun":1,"past":[[1,0,1,"node1",1,2,3,4]]})";
  ASSERT_TRUE(saved_from(older, start));
  EXPECT_FALSE(saved_from(older, start)->past.at(0).port_taken);
  const std::string newer =
      R"({"version":1,"requeues":0,"begun":1,"past":[[1,0,1,"node1",1,2,3,4,true,7]],"more":7})";
  ASSERT_TRUE(saved_from(newer, start));
  EXPECT_TRUE(saved_from(newer, start)->past.at(0).port_taken);
  for (const auto* const version : {"0", "2", "1.0", "\"1\"", "null"}) {
    auto other = older;
    other.replace(other.find(":1") + 1, 1, version);
    EXPECT_FALSE(saved_from(other, start)) << other;
  }
}

TEST(Saved, AnswersAnyChangeOfItsTextWithAValueOrNothing) {
  const auto whole = to_text({1, 4, attempts(3)}, start);
  std::mt19937 random(14);
  for (int round = 0; round < 3000; ++round) {
    auto text = whole;
    for (int change = 0; change < 3; ++change) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
    }
    const auto saved = saved_from(text, start);
    if (!saved) continue;
    EXPECT_EQ(saved->past.size(), saved->begun);
  }
}

}  // namespace
}  // namespace muster::restart
