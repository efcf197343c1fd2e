#include "core/groups/report.hpp"

#include "core/report/json.hpp"
#include "core/report/read_json.hpp"
#include "core/text/json.hpp"
#include "unit/core/report/made_up_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::groups {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Rank 1 of that group has failed.
std::string failed_report(std::uint32_t group) {
  auto record = report::made_up_step(2, 1);
  record.group = GroupNumber{group, 2};
  record.program = "./train";
  record.srun_wait_status = report::exited(7);
  report::add_end(record, 1, report::exited(7), report::at(std::chrono::seconds(61)));
  return to_json(report::make_report(record, {}));
}

std::vector<Left> left() {
  return {{.group = {State::stopped, 143}, .reports = {}},
          {.group = {State::failed, 7}, .reports = {failed_report(1)}}};
}

TEST(GroupsReport, HasALineForEachGroup) {
  EXPECT_THAT(
      summary_lines(left()),
      ElementsAre("group 0: stopped",
                  "group 1: failed (exit code 7): rank 1 on node2 failed first: exit code 7"));
}

TEST(GroupsReport, CountsTheAttemptsOfAllTimes) {
  std::vector<Left> twice{
      {.group = {State::done, 0}, .reports = {failed_report(0), failed_report(0)}}};
  EXPECT_THAT(summary_lines(twice), ElementsAre("group 0: done after 2 attempts"));
}

TEST(GroupsReport, ShowsTheGroupThatFailedFirst) {
  const auto all = left();
  EXPECT_EQ(group_to_show(all, 1), 1U);
  EXPECT_EQ(group_to_show(all, 0), 1U);  // it has no report
  EXPECT_EQ(group_to_show(std::vector<Left>(2), {}), std::nullopt);
  EXPECT_THAT(to_text(all[1], {}), HasSubstr("./train FAILED (group 1, exit code 7, "));
  EXPECT_EQ(to_text(all[0], {}), "");
}

TEST(GroupsReport, IsAReportWithAListOfAllGroups) {
  const auto text = to_json(left(), 1, 7);
  EXPECT_EQ(report::read_json(text).report.group->number, 1U);
  const auto json = text::parse_json(text);
  EXPECT_EQ(json["exit_code"], 7);
  EXPECT_EQ(json["groups"][0]["result"], "cancelled");
  EXPECT_EQ(json["groups"][1]["reports"][0]["first"]["rank"], 1);
}

TEST(GroupsReport, IsOneOfSuccessIfEnoughGroupsAreDone) {
  const auto json = text::parse_json(to_json(left(), 1, 0));
  EXPECT_EQ(json["result"], "ok");
  EXPECT_TRUE(json["cause"].is_null());
}

TEST(GroupsReport, SurvivesASupervisorThatWasKilledWhileItWrote) {
  auto cut = left();
  cut[1].reports = {failed_report(1).substr(0, 100)};
  EXPECT_EQ(group_to_show(cut, 1), std::nullopt);
  EXPECT_THAT(summary_lines(cut)[1], HasSubstr("failed (exit code 7)"));
  EXPECT_EQ(text::parse_json(to_json(cut, 1, 7))["groups"][1]["reports"].size(), 0U);
}

}  // namespace
}  // namespace muster::groups
