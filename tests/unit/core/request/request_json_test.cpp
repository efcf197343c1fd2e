#include "core/option/key_table.hpp"
#include "core/option/settings.hpp"
#include "core/request/request.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace muster::request {
namespace {

// For keys whose values are not from a fixed set of words.
const std::map<std::string_view, std::vector<std::string>> free_texts{
    {"network", {"auto", "ib0", "ib0+eth*", "hs[n]?"}},
    {"port", {"auto", "29500", "1024-65535"}},
    {"restarts", {"0", "3", "1000"}},
    {"norestart", {"93", "none", "1+2+255"}},
    {"progress", {"off", "step.txt", "/a b/\"c\"/\\d"}},
    {"nodes", {"all", "1", "2:2", "2:16384"}},
    {"spares", {"0", "3", "1000"}},
    {"requeue", {"0", "3", "1000"}},
    {"stop", {"off", "1", "1440"}},
    {"health", {"off", "/site/check", "a=b"}},
    {"health-timeout", {"5", "1", "300"}},
    {"preflight", {"off", "on", "1", "300"}},
    {"logs", {"off", "out", "/a b/\"c\"/\\d"}},
    {"view", {"first", "all", "none", "0", "0+7+3"}},
    {"heartbeat", {"10", "1", "3600"}},
    {"grace", {"auto", "0", "86400"}},
    {"report", {"off", "report.json", "/a b/\"c\"/\\d"}},
    {"hang", {"off", "1", "5s", "90s+restart", "43200+restart"}},
};

std::vector<std::string> samples(const option::KeyInfo& key) {
  if (key.words.empty()) return free_texts.at(key.name);
  return {key.words.begin(), key.words.end()};
}

// A request with this release's features; a feature that is released later is added automatically.
Request generate(fixtures::RandomText& random) {
  const std::vector<Origin> origins{Origin::option, Origin::user, Origin::site, Origin::default_};
  const std::vector<std::string> places{"--distributed", "MUSTER_X", "/a/\"b\".yaml:12:3",
                                        "default"};
  option::Settings settings = option::default_settings();
  settings.profile = {random.pick<std::string>({"torch", "none", "my-own_1"}), random.pick(origins),
                      random.pick(places)};
  for (const option::KeyInfo& key : option::keys()) {
    const std::string value = random.pick(samples(key));
    if (!is_available(key, value) || random.below(2) == 0) continue;
    settings.values[key.key] = {value, random.pick(origins), random.pick(places)};
  }
  return make_request(settings);
}

TEST(RequestJson, GivesBackEveryRequestAsItWas) {
  fixtures::RandomText random(4);
  for (int i = 0; i < 5000; ++i) {
    const Request request = generate(random);
    const std::string json = to_json(request);
    ASSERT_EQ(request_from_json(json), request) << json;
    ASSERT_EQ(to_json(request_from_json(json)), json);
    ASSERT_EQ(json.find('\n'), std::string::npos);
  }
}

TEST(RequestJson, LeavesDefaultsOut) {
  EXPECT_EQ(to_json(Request{}),
            R"({"keys":{},"profile":["torch","default","default"],"version":1})");
}

TEST(RequestJson, RefusesWhatItCannotHaveWritten) {
  const std::string profile = R"("profile":["torch","default","default"])";
  const std::vector<std::string> hostile{
      "",
      "null",
      "[]",
      "{}",
      "{\"version\":1}",
      "{\"version\":2," + profile + ",\"keys\":{}}",
      "{\"version\":\"1\"," + profile + ",\"keys\":{}}",
      "{\"version\":1," + profile + ",\"keys\":[]}",
      "{\"version\":1," + profile + ",\"keys\":{\"bnid\":[\"none\",\"option\",\"x\"]}}",
      "{\"version\":1," + profile + ",\"keys\":{\"bind\":\"none\"}}",
      "{\"version\":1," + profile + ",\"keys\":{\"bind\":[\"none\",\"option\"]}}",
      "{\"version\":1," + profile + ",\"keys\":{\"bind\":[\"none\",\"god\",\"x\"]}}",
      "{\"version\":1," + profile + ",\"keys\":{\"bind\":[1,\"option\",\"x\"]}}",
      "{\"version\":1," + profile + ",\"keys\":{\"port\":[\"80\",\"option\",\"x\"]}}",
      R"({"version":1,"profile":["../../etc/passwd","option","x"],"keys":{}})",
      R"({"version":1,"profile":["torch","option",")" + std::string(9000, 'x') + R"("],"keys":{}})",
      std::string(30'000, '['),
      std::string(max_request_json_bytes + 1, ' '),
      "{\"version\":1," + profile + ",\"keys\":{}}x",
      std::string("\xFF\xFE\0{", 4),
  };
  for (const std::string& text : hostile) {
    EXPECT_TRUE(fixtures::is_one_line(fixtures::error_of([&] { request_from_json(text); })))
        << text.substr(0, 100);
  }
}

TEST(RequestJson, AnswersAnyTextWithARequestOrAnError) {
  fixtures::RandomText random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = i % 4 == 0 ? random.bytes(100) : to_json(generate(random));
    for (std::size_t count = random.below(4); count > 0; --count) text = random.mutate(text);
    try {
      request_from_json(text);
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what())) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::request
