#include "core/metrics/text.hpp"

#include "core/metrics/families.hpp"

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::metrics {
namespace {

using namespace std::chrono_literals;

status::Step made_up_step() {
  status::Step step;
  step.restarts_left = 2;
  step.ranks = 8;
  step.ranks_up = 6;
  step.nodes.resize(2);
  step.nodes[0].state = "running";
  step.nodes[1].state = "lost";
  status::Run run{.cluster = "big", .user = "alice", .job = "42", .step = "0", .attempts = 2};
  run.restarts["node"] = 1;
  run.time = {.wall = 100s,
              .all_ran = 90s,
              .start = 6s,
              .detection = 2s,
              .stop = 1s,
              .pauses = 1s,
              .startup = 4s,
              .lost_work = 6500ms,
              .has_progress = true,
              .has_startup = true,
              .held_up = 3s,
              .lost_gpus = {{"lost_work", 52}, {"queue", 0}}};
  run.gpus = 16;
  run.progress = 1200;
  step.run = run;
  return step;
}

std::string text_of(const status::Step& step, Form form = Form::prometheus) {
  return to_text(std::vector{step}, form);
}

TEST(MetricsText, HasAllFamiliesOfARun) {
  const auto text = text_of(made_up_step());
  const std::string labels = R"(cluster="big",user="alice",job="42",step="0")";
  for (const auto& line :
       {"muster_attempts_total{" + labels + "} 2",
        "muster_restarts_total{" + labels + ",cause=\"node\"} 1",
        "muster_ranks_up{" + labels + "} 6", "muster_nodes{" + labels + ",state=\"lost\"} 1",
        "muster_effective_ratio{" + labels + "} 0.795",
        "muster_effective_seconds{" + labels + "} 79.5",
        "muster_lost_seconds{" + labels + ",cause=\"lost_work\"} 6.5",
        "muster_lost_gpu_seconds{" + labels + ",cause=\"lost_work\"} 52",
        "muster_progress_step{" + labels + "} 1200"}) {
    EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << "\n" << text;
  }
  EXPECT_NE(text.find("# TYPE muster_attempts_total counter\n"), std::string::npos);
  EXPECT_EQ(text.find("muster_slow_ranks"), std::string::npos);
  EXPECT_EQ(text.find("muster_held_up"), std::string::npos);
  EXPECT_EQ(text.find("muster_lost_work_limit"), std::string::npos);
  EXPECT_EQ(text.find("# EOF"), std::string::npos);
}

TEST(MetricsText, SaysWithSlowHowLongTheTrainingWasHeldUp) {
  auto step = made_up_step();
  step.run->slow_ranks = 1;
  EXPECT_NE(text_of(step).find("step=\"0\"} 3\n"), std::string::npos);
  EXPECT_NE(text_of(step).find("muster_held_up_seconds{"), std::string::npos);
}

TEST(MetricsText, SaysWithoutProgressHowMuchWorkMayBeLost) {
  auto step = made_up_step();
  step.run->time.has_progress = false;
  step.run->time.lost_work = 0s;
  step.run->time.last_effective = 80s;
  const auto text = text_of(step);
  EXPECT_NE(
      text.find(
          "muster_lost_work_limit_seconds{cluster=\"big\",user=\"alice\",job=\"42\",step=\"0\"} 6\n"),
      std::string::npos)
      << text;
}

TEST(MetricsText, OfOpenMetricsNamesTheFamilyOfACounterAndHasAnEnd) {
  const auto text = text_of(made_up_step(), Form::openmetrics);
  EXPECT_NE(text.find("# TYPE muster_attempts counter\nmuster_attempts_total{"), std::string::npos);
  EXPECT_NE(text.find("# UNIT muster_run_seconds seconds\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST(MetricsText, KeepsTheSeriesOfAFamilyTogether) {
  auto other = made_up_step();
  other.run->job = "43";
  const auto text = to_text(std::vector{made_up_step(), other, status::Step()}, Form::prometheus);
  const std::string head = "# TYPE muster_ranks gauge\n";
  EXPECT_EQ(text.find(head), text.rfind(head));
  EXPECT_NE(text.find("job=\"43\""), std::string::npos);
}

TEST(MetricsText, EscapesLabels) {
  auto step = made_up_step();
  step.run->cluster = "a\"b\\c\nd\xff" + std::string(1000, 'x');
  const auto text = text_of(step);
  EXPECT_NE(text.find("{cluster=\"a\\\"b\\\\c_d_xx"), std::string::npos) << text;
  EXPECT_EQ(text.find(std::string(300, 'x')), std::string::npos);
}

TEST(MetricsText, LeavesOutWhatIsUnknown) {
  auto step = made_up_step();
  step.run->time.has_progress = false;
  step.run->progress.reset();
  step.run->user.clear();
  const auto text = text_of(step);
  EXPECT_EQ(text.find("cause=\"lost_work\""), std::string::npos);
  EXPECT_EQ(text.find("user="), std::string::npos);
  EXPECT_EQ(text.find("muster_progress_step"), std::string::npos);
  EXPECT_EQ(text_of(status::Step()), "");
}

TEST(MetricsText, IsWhatAScraperAskedFor) {
  EXPECT_EQ(form_for("application/openmetrics-text;version=1.0.0,text/plain;q=0.5"),
            Form::openmetrics);
  EXPECT_EQ(form_for("text/plain"), Form::prometheus);
  EXPECT_EQ(form_for(""), Form::prometheus);
}

TEST(MetricFamilies, EndWithTheirUnit) {
  for (const auto& family : families()) {
    EXPECT_TRUE(family.name.ends_with(family.unit)) << family.name;
    EXPECT_FALSE(family.name.ends_with("_total")) << family.name;
    EXPECT_FALSE(family.help.empty()) << family.name;
  }
}

// tests/unit/python/test_monitoring.py takes them from there.
TEST(MetricFamilies, AreTheRowsOfTheGuide) {
  std::ifstream guide(MUSTER_SOURCE_DIR "/docs/guides/metrics.md");
  std::set<std::string> rows;
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with("| `muster_")) rows.insert(line.substr(3, line.find('`', 3) - 3));
  }
  std::set<std::string> names;
  for (const auto& family : families())
    names.insert(std::string(family.name) + (family.type == Type::counter ? "_total" : ""));
  EXPECT_EQ(rows, names);
}

}  // namespace
}  // namespace muster::metrics
