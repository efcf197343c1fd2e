#include "core/report/json.hpp"

#include "made_up_step.hpp"

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::report {
namespace {

using Json = nlohmann::json;

Json json_of(const Record& record) {
  return Json::parse(to_json(make_report(record, {})));
}

Record written_step() {
  Record record = made_up_step(2, 2);
  record.srun_wait_status = exited(143);
  record.over = at(12345ms);
  RankEnd& first = add_exception(record, 3, "RuntimeError: boom\nat last", at(123ms, 200us));
  first.exception->traceback = "Traceback:\n";
  for (const std::uint32_t rank : {0, 1, 2}) add_victim(record, rank, at(500ms));
  return record;
}

// Fields that other programs rely on: docs/reference/json.md.
TEST(Json, HasThePromisedFieldsOfVersion1) {
  const Json json = json_of(written_step());
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["result"], "failed");
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["cause"], "program");
  const Json& first = json["first"];
  EXPECT_EQ(first["rank"], 3);
  EXPECT_EQ(first["local_rank"], 1);
  EXPECT_EQ(first["node"], "node2");
  EXPECT_EQ(first["pid"], 4703);
  EXPECT_EQ(first["time"], "2026-01-01T00:00:00.123Z");
  EXPECT_EQ(first["code"], 1);
  EXPECT_EQ(first["signal"], nullptr);
  EXPECT_EQ(first["reason"], "RuntimeError: boom\nat last");
  EXPECT_EQ(first["traceback"], "Traceback:\n");
  Json attempt = Json::parse(R"({"number": 0, "step": "42.0", "nodes": ["node1", "node2"],
                                 "ranks": 4, "result": "failed", "seconds": 12.345,
                                 "cause": "program", "first_rank": 3, "first_node": "node2",
                                 "lost_nodes": [], "hung": false, "startup_seconds": null,
                                 "lost_work_seconds": null, "held_up_seconds": 0.0, "gpus": 0})");
  attempt["reason"] = "rank 3 on node2: exit code 1 (RuntimeError: boom)";
  attempt["times"] = json["times"];
  EXPECT_EQ(json["attempts"], Json::array({attempt}));
  EXPECT_EQ(json["lost_nodes"], Json::array());
}

void expect_documented(const Json& json, const std::string& guide) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) {
      EXPECT_NE(guide.find("`" + key + "`"), std::string::npos)
          << "docs/reference/json.md, report.json, lacks " << key;
    }
    if (value.is_structured()) expect_documented(value, guide);
  }
}

TEST(Json, HasTheTimesOfTheAgentsRendezvous) {
  Record record = made_up_step(2, 1);
  record.nodes[0].agent = AgentTimes{at(100ms), at(200ms), at(300ms)};
  Json json = json_of(record);
  EXPECT_EQ(json["nodes"][0]["agent_start"], "2026-01-01T00:00:00.100Z");
  EXPECT_EQ(json["nodes"][0]["rendezvous_begin"], "2026-01-01T00:00:00.200Z");
  EXPECT_EQ(json["nodes"][0]["rendezvous_end"], "2026-01-01T00:00:00.300Z");
  EXPECT_EQ(json["nodes"][1]["rendezvous_end"], nullptr);
  EXPECT_EQ(json["times"]["rendezvous_end"], nullptr);
  record.nodes[1].agent = AgentTimes{at(50ms), at(250ms), at(310ms)};
  json = json_of(record);
  EXPECT_EQ(json["times"]["first_agent"], "2026-01-01T00:00:00.050Z");
  EXPECT_EQ(json["times"]["rendezvous_begin"], "2026-01-01T00:00:00.200Z");
  EXPECT_EQ(json["attempts"][0]["times"]["rendezvous_end"], "2026-01-01T00:00:00.310Z");
}

TEST(Json, HasNoFieldThatTheGuideLacks) {
  Record record = written_step();
  record.nodes[1].state = NodeState::agent_gone;
  record.signals = {{SIGUSR1, at(1s)}};
  Record hung = written_step();
  hung.ends.clear();
  hung.hang = Hang{at(1s), "rank 1: waiting", "node1", "here"};
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/reference/json.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const auto begin = page.find("\n## report.json\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string guide = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  expect_documented(json_of(record), guide);
  expect_documented(json_of(hung), guide);
}

TEST(Json, HasTheHangForWhichAnAttemptWasEnded) {
  Record record = made_up_step(1, 2);
  record.hang = Hang{at(1s), "rank 1: waiting", "node1", ""};
  const Json json = json_of(record);
  EXPECT_EQ(json["cause"], "hang");
  EXPECT_EQ(json["hang"],
            Json::parse(R"({"since": "2026-01-01T00:00:01.000Z", "found": "rank 1: waiting",
                                          "node": "node1", "dump": null})"));
  EXPECT_EQ(json_of(written_step())["hang"], nullptr);
}

TEST(Json, CountsVictims) {
  EXPECT_EQ(json_of(written_step())["victims"],
            Json::parse(R"([{"kind": "ended_by_muster", "count": 3, "ranks": "0-2"}])"));
}

TEST(Json, HasASignalByName) {
  Record record = made_up_step(1, 1);
  record.srun_wait_status = exited(139);
  add_end(record, 0, SIGSEGV | 0x80, at(2s));
  const Json first = json_of(record)["first"];
  EXPECT_EQ(first["code"], nullptr);
  EXPECT_EQ(first["signal"], "SIGSEGV");
  EXPECT_EQ(first["core_dumped"], true);
  EXPECT_EQ(first["reason"], "SIGSEGV (segmentation fault), core dumped");
}

TEST(Json, HasTheLastWordOfALostNode) {
  Record record = made_up_step(2, 1);
  record.srun_wait_status = exited(143);
  record.nodes[1].state = NodeState::lost;
  record.nodes[1].last_word = at(5s);
  const Json json = json_of(record);
  EXPECT_EQ(json["cause"], "node");
  EXPECT_EQ(json["first"], nullptr);
  EXPECT_EQ(json["lost_nodes"], Json::parse(R"([{"node": "node2", "state": "lost", "ranks": 1,
                                                 "last_word": "2026-01-01T00:00:05.000Z"}])"));
}

TEST(Json, OfSuccessHasNoCause) {
  const Json json = json_of(made_up_step(1, 1));
  EXPECT_EQ(json["result"], "ok");
  EXPECT_EQ(json["cause"], nullptr);
  EXPECT_EQ(json["first"], nullptr);
  EXPECT_EQ(json["exit_code"], 0);
}

TEST(Json, IsUnicodeWhateverTheRecordHas) {
  Record record = written_step();
  record.program = "\xFF\x1b[2J";
  record.nodes[1].name = "\xC0";
  record.ends.front().exception->message = std::string("\xFE\0x", 3);
  record.ends.front().last_lines = {"\xED\xA0\x80"};
  EXPECT_EQ(json_of(record)["program"], "\xEF\xBF\xBD\x1b[2J");
}

}  // namespace
}  // namespace muster::report
