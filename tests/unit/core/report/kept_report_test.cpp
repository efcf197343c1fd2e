#include "core/report/kept_report.hpp"

#include "core/report/json.hpp"
#include "made_up_step.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

Report report_of(const std::string& step, bool is_failure) {
  Record record = made_up_step(1, 1);
  record.step = step;
  if (is_failure) {
    record.srun_wait_status = exited(7);
    add_end(record, 0, exited(7), at(1s));
  }
  return make_report(record, {});
}

const auto own = report_of("42.1", false);

std::string kept(const Report& report) {
  return kept_step(to_json(report), own, "42");
}

TEST(KeptReport, IsAFailedStepsOfTheSameJob) {
  EXPECT_EQ(kept(report_of("42.0", true)), "42.0");
  EXPECT_EQ(kept(report_of("42.1", true)), "");
  EXPECT_EQ(kept(report_of("41.0", true)), "");
  EXPECT_EQ(kept(report_of("4.2", true)), "");
  EXPECT_EQ(kept_step(to_json(report_of("42.0", true)), own, ""), "");
}

TEST(KeptReport, IsNotThatOfASimpleSuccess) {
  EXPECT_EQ(kept(report_of("42.0", false)), "");
  const auto failed = report_of("42.0", true);
  EXPECT_EQ(kept(with_earlier(failed.attempts, report_of("42.2", false))), "42.2");
}

TEST(KeptReport, IsNotThatOfAnEarlierAttemptOfThisRun) {
  const auto again = with_earlier(report_of("42.0", true).attempts, report_of("42.1", false));
  EXPECT_EQ(kept_step(to_json(report_of("42.0", true)), again, "42"), "");
}

TEST(KeptReport, IsNotThatOfAnEarlierRunOfARequeuedJob) {
  auto earlier = report_of("42.0", true);
  auto later = own;
  later.slurm_restarts = 1;
  EXPECT_EQ(kept_step(to_json(earlier), later, "42"), "");
  earlier.slurm_restarts = 1;
  EXPECT_EQ(kept_step(to_json(earlier), later, "42"), "42.0");
}

TEST(KeptReport, IsNothingThatIsNoReport) {
  for (const auto* const text : {"", "{", "[]", R"({"version": 1})", "notes"})
    EXPECT_EQ(kept_step(text, own, "42"), "") << text;
}

TEST(KeptReport, IsToldFromAnotherFile) {
  EXPECT_TRUE(is_report(to_json(report_of("42.0", false))));
  for (const auto* const text : {"", "[]", "notes"}) EXPECT_FALSE(is_report(text)) << text;
}

TEST(FileBesideAReport, HasTheNumberBeforeItsEnding) {
  EXPECT_EQ(file_beside("dir.d/report.json", 1), "dir.d/report.1.json");
  EXPECT_EQ(file_beside("dir.d/report", 12), "dir.d/report.12");
  EXPECT_EQ(file_beside(".report", 1), ".report.1");
}

}  // namespace
}  // namespace muster::report
