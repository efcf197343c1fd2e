// Reports of several attempts.
#include "core/cost/text.hpp"
#include "core/report/attempts_text.hpp"
#include "core/report/effective_time.hpp"
#include "core/report/json.hpp"
#include "core/report/summary.hpp"
#include "core/report/text.hpp"
#include "core/text/list.hpp"
#include "made_up_step.hpp"

#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::report {
namespace {

// Rank 3 fails `seconds` after the launch.
Record failed_attempt(std::uint32_t number, std::chrono::seconds launched) {
  Record record = made_up_step(2, 2);
  record.attempt = number;
  record.step = "42." + std::to_string(number);
  record.srun_wait_status = exited(143);
  record.launched = at(launched);
  for (auto& node : record.nodes) node.started = at(launched + 1s);
  add_exception(record, 3, "RuntimeError: boom", at(launched + 12s));
  record.ending = at(launched + 12400ms);
  for (const std::uint32_t rank : {0, 1, 2}) add_victim(record, rank, at(launched + 12500ms));
  record.over = at(launched + 13s);
  return record;
}

Record lost_node_step() {
  Record record = failed_attempt(1, 14s);
  record.ends.clear();
  record.node_of.clear();
  record.nodes[1].state = NodeState::lost;
  record.nodes[1].last_word = at(22s);
  return record;
}

AttemptSummary attempt_of(const Record& record) {
  return make_report(record, {}).attempts.front();
}

Report three_attempts() {
  return with_earlier({attempt_of(failed_attempt(0, 0s)), attempt_of(lost_node_step())},
                      make_report(failed_attempt(2, 30s), {}));
}

TEST(AttemptSummary, KeepsWhatItsReportSaid) {
  const AttemptSummary attempt = attempt_of(failed_attempt(0, 0s));
  EXPECT_EQ(attempt.cause, Cause::program);
  EXPECT_EQ(attempt.reason, "rank 3 on node2: exit code 1 (RuntimeError: boom)");
  EXPECT_EQ(attempt.first_rank, 3U);
  EXPECT_EQ(attempt.first_node, "node2");
  EXPECT_EQ(attempt.times.all_started, at(1s));
  EXPECT_EQ(attempt.times.failure, at(12s));
  EXPECT_EQ(attempt_of(lost_node_step()).lost_nodes, std::vector<std::string>{"node2"});
}

TEST(AttemptSummary, HasStartedWhenTheLastNodeHas) {
  Record record = failed_attempt(0, 0s);
  record.nodes[1].started = at(3s);
  EXPECT_EQ(attempt_of(record).times.all_started, at(3s));
  record.nodes[0].started.reset();
  EXPECT_EQ(attempt_of(record).times.all_started, std::nullopt);
}

TEST(AttemptSummary, IsOneLineForTheTimeBetweenTwoAttempts) {
  EXPECT_EQ(attempt_summary(attempt_of(failed_attempt(0, 0s))),
            "attempt 0 failed after 12.0 s: rank 3 on node2: exit code 1 (RuntimeError: boom)");
  EXPECT_EQ(attempt_summary(attempt_of(lost_node_step())),
            "attempt 1 failed after 8.0 s: node2 was lost: no heartbeat");
}

TEST(AttemptSummary, SaysHowElseAnAttemptEnds) {
  Record record = made_up_step(1, 1);
  EXPECT_EQ(attempt_summary(attempt_of(record)), "attempt 0 succeeded after 20.0 s");
  record.slurm.job_state = "TIMEOUT";
  EXPECT_EQ(attempt_summary(attempt_of(record)),
            "attempt 0 timed out after 20.0 s: the job reached its time limit");
  record = made_up_step(1, 1);
  record.srun_wait_status = exited(137);
  add_end(record, 0, signalled(SIGKILL), at(7s)).out_of_memory = true;
  EXPECT_EQ(attempt_summary(attempt_of(record)),
            "attempt 0 failed after 7.0 s: rank 0 on node1: SIGKILL (killed), out of memory");
}

TEST(Text, ListsTheAttempts) {
  EXPECT_EQ(to_text(three_attempts(), {}),
            R"(============================================================
./train.py FAILED (exit code 1, attempt 2, step 42.2, 4 ranks on 2 nodes, 13.0 s)
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-01-01_00:00:42.000, 12.0 s after the launch
  host      : node2
  rank      : 3 (local_rank: 1)
  exitcode  : 1 (pid: 4703)
  error     : RuntimeError: boom
------------------------------------------------------------
  victims   : 3 stopped by muster (0-2)
  times     : launch 2026-01-01_00:00:30, start +1.0 s, failure +12.0 s, last end +12.5 s
------------------------------------------------------------
  attempt 0 : failed after 12.0 s: rank 3 on node2: exit code 1 (RuntimeError: boom)
  attempt 1 : failed after 8.0 s: node2 was lost: no heartbeat
  attempt 2 : failed after 12.0 s: rank 3 on node2: exit code 1 (RuntimeError: boom)
  effective : all ranks ran 67.4 % of 43.0 s; start 3.0 s, detection 5.2 s, stop 1.8 s, pauses 4.0 s
============================================================
)");
}

TEST(Text, ShowsTheFirstAndTheLastOfManyAttempts) {
  std::vector<AttemptSummary> earlier(100, attempt_of(failed_attempt(0, 0s)));
  for (std::uint32_t i = 0; i < earlier.size(); ++i) earlier[i].number = i;
  const auto lines =
      attempts_lines(with_earlier(earlier, make_report(failed_attempt(100, 0s), {})));
  ASSERT_EQ(lines.size(), 11U);
  EXPECT_TRUE(lines[2].starts_with("  attempt 2 :")) << lines[2];
  EXPECT_EQ(lines[3], "            : 93 more");
  EXPECT_TRUE(lines[4].starts_with("  attempt 96:")) << lines[4];
  EXPECT_TRUE(lines[8].starts_with("  attempt 100:")) << lines[8];
  EXPECT_TRUE(lines[9].starts_with("  effective : all ranks ran")) << lines[9];
  EXPECT_NE(lines[10].find(", pauses "), std::string::npos) << lines[10];
}

// A line of 100 columns has no room for all of it if the times are long.
TEST(Text, CutsNothingOffTheEffectiveTime) {
  const std::vector<AttemptSummary> earlier(7, attempt_of(failed_attempt(0, 0s)));
  const auto report = with_earlier(earlier, make_report(failed_attempt(7, 0s), {}));
  std::string text;
  for (const auto& line : attempts_lines(report)) text += line + "\n";
  const auto pauses = cost::to_text(effective_time(report));
  EXPECT_NE(text.find(pauses.substr(pauses.rfind(','))), std::string::npos) << text;
}

TEST(Text, ShowsAllOfEightAttempts) {
  const std::vector<AttemptSummary> earlier(7, attempt_of(failed_attempt(0, 0s)));
  EXPECT_EQ(attempts_lines(with_earlier(earlier, make_report(failed_attempt(7, 0s), {}))).size(),
            10U);
}

TEST(Text, OfManyAttemptsFitsTheScreen) {
  const std::vector<AttemptSummary> earlier(1000, attempt_of(failed_attempt(0, 0s)));
  auto report = make_report(failed_attempt(1000, 30s), {});
  for (int i = 0; i < 40; ++i) report.first->end.exception->traceback += "  frame\n";
  const auto text = to_text(with_earlier(earlier, std::move(report)), {});
  const auto lines = text::split(std::string_view(text).substr(0, text.size() - 1), '\n');
  EXPECT_LE(lines.size(), max_report_lines + max_attempts_lines);
  for (const auto line : lines) EXPECT_LE(line.size(), max_report_columns) << line;
}

TEST(Summary, OfSuccessAfterARestartSaysHowMuchOfTheTimeAllRanksRan) {
  Record record = made_up_step(2, 2);
  record.attempt = 1;
  record.launched = at(14s);
  for (auto& node : record.nodes) node.started = at(15s);
  record.over = at(100s);
  for (const std::uint32_t rank : {0, 1, 2, 3}) add_success(record, rank, at(99s));
  EXPECT_EQ(
      summary(with_earlier({attempt_of(failed_attempt(0, 0s))}, make_report(record, {}))),
      "attempt 1: 4 ranks on 2 nodes exited with code 0 after 1 min 26 s; the first rank started "
      "after 1.0 s; all ranks ran 95.0 % of 1 min 40 s; start 2.0 s, detection 400 ms, stop 1.6 s, "
      "pauses 1.0 s");
}

TEST(Json, HasThePromisedFieldsOfAttemptsAndEffectiveTime) {
  const auto json = nlohmann::json::parse(to_json(three_attempts()));
  ASSERT_EQ(json["attempts"].size(), 3U);
  const auto& first = json["attempts"][0];
  EXPECT_EQ(first["number"], 0);
  EXPECT_EQ(first["seconds"], 13.0);
  EXPECT_EQ(first["cause"], "program");
  EXPECT_EQ(first["reason"], "rank 3 on node2: exit code 1 (RuntimeError: boom)");
  EXPECT_EQ(first["first_rank"], 3);
  EXPECT_EQ(first["first_node"], "node2");
  EXPECT_EQ(first["times"]["launch"], "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(first["times"]["all_started"], "2026-01-01T00:00:01.000Z");
  EXPECT_EQ(first["times"]["failure"], "2026-01-01T00:00:12.000Z");
  const auto& second = json["attempts"][1];
  EXPECT_EQ(second["first_rank"], nullptr);
  EXPECT_EQ(second["lost_nodes"], nlohmann::json::array({"node2"}));
  EXPECT_EQ(json["times"], json["attempts"][2]["times"]);
  EXPECT_EQ(json["effective"], nlohmann::json::parse(R"({
      "share": 0.6744, "wall_seconds": 43.0, "all_ran_seconds": 29.0, "start_seconds": 3.0,
      "detection_seconds": 5.2, "stop_seconds": 1.8, "pauses_seconds": 4.0, "hang_seconds": 0.0,
      "queue_seconds": 0.0, "startup_seconds": null, "lost_work_seconds": null,
      "lost_work_limit_seconds": 18.0, "held_up_seconds": 0.0, "lost_gpu_seconds": {}, "earlier": null})"));
  EXPECT_EQ(first["gpus"], 0);
  EXPECT_EQ(first["lost_work_seconds"], nullptr);
}

}  // namespace
}  // namespace muster::report
