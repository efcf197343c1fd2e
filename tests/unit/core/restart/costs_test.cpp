#include "core/restart/costs.hpp"

#include "core/report/effective_time.hpp"
#include "core/report/report.hpp"
#include "past_attempts.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using namespace std::chrono_literals;

// Does steps 1 a second from `begin` on.
cost::Attempt counting(cost::Time begin, cost::Time end, int first) {
  cost::Attempt attempt{
      .launched = begin - 1s, .all_started = begin, .ceased = end, .ending = end, .over = end + 1s};
  for (auto at = begin + 1s; at <= end; at += 1s) attempt.progress.add({at, first++});
  return attempt;
}

report::AttemptSummary summary_of(const cost::Attempt& attempt) {
  report::AttemptSummary summary;
  summary.times.launched = {attempt.launched, {}};
  summary.times.all_started = report::Moment{*attempt.all_started, {}};
  summary.times.failure = report::Moment{attempt.ceased, {}};
  summary.times.ending = report::Moment{*attempt.ending, {}};
  summary.times.over = {attempt.over, {}};
  return summary;
}

TEST(Costs, AreSetForEachAttemptOfTheReport) {
  std::vector<AttemptHistory> past(2);
  past[0].cost = counting(1s, 100s, 1);
  past[1].cost = counting(110s, 200s, 51);
  report::Report report;
  report.attempts = {summary_of(*past[0].cost), summary_of(*past[1].cost)};
  add_costs(report, past);
  EXPECT_EQ(report.attempts[0].loss.lost_work, 49s);
  EXPECT_EQ(report.earlier, cost::Account());
  EXPECT_EQ(cost::effective(report::effective_time(report)), 99s + 90s - 49s);
}

// An attempt before the requeue loses what the first one after it does again.
TEST(Costs, ReachOverARequeue) {
  std::vector<AttemptHistory> past(3);
  past[0].cost = counting(-400s, -300s, 1);
  past[1].cost.reset();  // nothing is known about it
  past[2].cost = counting(1s, 100s, 51);
  past[2].cost->after_requeue = true;
  past[0].cost->gpus = 8;
  report::Report report;
  report.attempts = {summary_of(*past[2].cost)};
  add_costs(report, past);
  EXPECT_EQ(report.earlier.lost_work, 50s);
  EXPECT_EQ(report.earlier.queue, 299s);
  const auto time = report::effective_time(report);
  EXPECT_EQ(time.lost_gpus.at("lost_work"), 50 * 8);
  EXPECT_EQ(time.lost_gpus.at("queue"), 0);
  EXPECT_EQ(time.wall, 502s);
  EXPECT_EQ(cost::effective(time), 50s + 99s);
}

TEST(Costs, AreNoneWithoutHistory) {
  report::Report report;
  report.attempts.resize(2);
  add_costs(report, {});
  EXPECT_EQ(report.attempts[1].loss, cost::Loss());
}

}  // namespace
}  // namespace muster::restart
