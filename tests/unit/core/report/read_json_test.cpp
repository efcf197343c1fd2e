#include "core/report/read_json.hpp"

#include "core/report/json.hpp"
#include "core/report/moments.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"
#include "made_up_step.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::report {
namespace {

using Json = nlohmann::json;

// A summary has parts that the JSON lacks.
Json without_summary(const std::string& text) {
  auto json = Json::parse(text);
  json.erase("summary");
  return json;
}

void expect_comes_back(const Report& report) {
  const auto text = to_json(report);
  EXPECT_EQ(without_summary(to_json(read_json(text).report)), without_summary(text));
}

Record full_step() {
  Record record = made_up_step(2, 2);
  record.command = {"./train.py", "--epochs", "3"};
  record.srun_wait_status = exited(143);
  record.over = at(12345ms);
  RankEnd& first = add_exception(record, 3, "RuntimeError: boom\nat last", at(123ms, 200us));
  first.exception->traceback = "Traceback:\n";
  first.last_lines = {"one", "two"};
  first.last_lines_file = "rank-3.err";
  add_end(record, 2, exited(1), at(123ms, 200us));
  for (const std::uint32_t rank : {0, 1}) add_victim(record, rank, at(500ms));
  record.nodes[1].stuck_ranks = {3};
  record.nodes[1].remark = "cut off";
  record.nodes[0].agent = AgentTimes{at(100ms), at(200ms), at(300ms)};
  record.nodes[1].agent = AgentTimes{at(110ms), at(210ms), at(310ms)};
  for (auto& node : record.nodes) {
    node.gpus = 4;
    node.group = at(2s);
  }
  record.slow = {{.node = "node1", .lost = 500ms}};
  record.signals = {{SIGUSR1, at(1s)}};
  record.slurm = {"FAILED", "NonZeroExitCode"};
  return record;
}

TEST(ReadJson, BringsAReportBack) {
  expect_comes_back(make_report(full_step(), {}));
  expect_comes_back(make_report(made_up_step(3, 2), {}));
}

TEST(ReadJson, KnowsTheExceptionInTheLastLinesFromAnExceptionOfItsOwn) {
  Record record = made_up_step(2, 2);
  record.srun_wait_status = exited(1);
  add_end(record, 3, exited(1), at(2s)).last_lines = {"Traceback:", "KeyError: 'x'"};
  for (const std::uint32_t rank : {0, 1, 2}) add_victim(record, rank, at(2100ms));
  const auto report = make_report(record, {});
  expect_comes_back(report);
  EXPECT_EQ(Json::parse(to_json(report))["first"]["reason"], "KeyError: 'x'");
  const auto back = read_json(to_json(report));
  EXPECT_FALSE(back.report.first->end.exception);
  EXPECT_EQ(back.summary, "rank 3 on node2 failed first: exit code 1 (KeyError: 'x')");
}

TEST(ReadJson, BringsSignalsLostNodesHangsAndAttemptsBack) {
  Record crash = made_up_step(1, 1);
  crash.srun_wait_status = exited(139);
  add_end(crash, 0, SIGSEGV | 0x80, at(2s));
  expect_comes_back(make_report(crash, {}));
  Record lost = made_up_step(2, 1);
  lost.nodes[1].state = NodeState::lost;
  lost.srun_wait_status = exited(143);
  lost.without_slurm = true;
  auto requeued = make_report(lost, {});
  requeued.slurm_restarts = 2;
  expect_comes_back(requeued);
  Record hung = made_up_step(1, 2);
  hung.hang = Hang{at(1s), "rank 1: waiting", "node1", "here"};
  expect_comes_back(with_earlier(make_report(full_step(), {}).attempts, make_report(hung, {})));
}

TEST(ReadJson, BringsPreflightsBack) {
  auto report = make_report(made_up_step(1, 1), {});
  report.preflight = {{.attempt = 1,
                       .duration = 1200ms,
                       .nodes = 3,
                       .rounds = 2,
                       .latency_us = 12.34,
                       .bandwidth = 9.87e9,
                       .nccl_latency_us = 23.45,
                       .nccl_bandwidth = 4.56e10,
                       .problems = {{"node1", "slow", "half", "replaced"}},
                       .failure = {}}};
  expect_comes_back(report);
}

TEST(ReadJson, KeepsTheSummaryAsItWasWritten) {
  const auto report = make_report(full_step(), {});
  EXPECT_EQ(read_json(to_json(report)).summary, Json::parse(to_json(report))["summary"]);
}

TEST(ReadJson, RefusesWhatIsNoReport) {
  fixtures::expect_error([] { read_json(""); }, "it is not JSON, or it is truncated");
  fixtures::expect_error([] { read_json("{\"version\": 1"); },
                         "it is not JSON, or it is truncated");
  fixtures::expect_error([] { read_json("[]"); }, "not a version 1 report");
  fixtures::expect_error([] { read_json("{\"version\": 2, \"result\": \"ok\"}"); },
                         "not a version 1 report");
}

TEST(ReadJson, TakesFieldsOfOtherTypesForMissing) {
  const auto read =
      read_json(R"({"version": 1, "result": "ok", "exit_code": "x", "first": [], "victims": [
      {"kind": 5, "ranks": "0-4294967295"}, 7], "attempts": [{"times": {"launch": "2026-13-01T00:00:00.000Z"}}, null],
      "effective": null, "nodes": {"a": 1}, "signals": [{"signal": "SIGNOTHING"}], "times": "now"})");
  EXPECT_EQ(read.report.exit_code, 0);
  EXPECT_FALSE(read.report.first);
  EXPECT_TRUE(read.report.victims.at(0).ranks.empty());
  EXPECT_EQ(read.report.attempts.size(), 2U);
  EXPECT_TRUE(read.report.nodes.empty());
}

TEST(ReadJson, ReadsDamagedOnesOrRefusesThem) {
  fixtures::RandomText random(5);
  const auto good = to_json(make_report(full_step(), {}));
  for (int i = 0; i < 2000; ++i) {
    try {
      to_json(read_json(random.mutate(random.mutate(good))).report);
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what()));
    }
  }
}

TEST(WallTime, IsReadAsItIsWritten) {
  const auto start = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23);
  EXPECT_EQ(wall_time(utc_text(start, at(4711123ms))), start + 4711123ms);
  for (const auto* const wrong :
       {"", "2026-11-23T01:02:03Z", "2026-02-30T00:00:00.000Z", "1969-12-31T00:00:00.000Z",
        "2262-01-01T00:00:00.000Z", "2026-11-23T24:00:00.000Z", "2026-11-23T0a:00:00.000Z"}) {
    EXPECT_FALSE(wall_time(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace muster::report
