#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
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
    {"groups", {"off", "4", "2:4", "1:10000"}},
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
    {"slow", {"off", "on", "1", "90+replace", "on+replace"}},
    {"metrics", {"off", "m.prom", "a/%j:1.prom", ":9400", "10.0.0.1:9400", "[::]:65535"}},
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

TEST(RequestText, GivesBackEveryRequestAsItWas) {
  fixtures::RandomText random(4);
  for (int i = 0; i < 5000; ++i) {
    const auto request = generate(random);
    const auto text = to_text(request);
    ASSERT_EQ(request_from_text(text), request) << text;
  }
}

TEST(RequestText, LeavesDefaultsOut) {
  EXPECT_LT(to_text(Request{}).size(), 60U);
}

TEST(RequestText, IsRefusedTruncatedLengthenedAndFromAnotherVersion) {
  fixtures::RandomText random(6);
  for (int i = 0; i < 100; ++i) {
    const auto text = to_text(generate(random));
    for (std::size_t size = 0; size < text.size(); ++size)
      ASSERT_EQ(request_from_text(text.substr(0, size)), std::nullopt) << size << " of " << text;
    EXPECT_EQ(request_from_text(text + "0 "), std::nullopt);
    EXPECT_EQ(request_from_text('1' + text), std::nullopt);
  }
}

std::string replaced(std::string text, std::string_view old, std::string_view now) {
  const auto place = text.find(old);
  EXPECT_NE(place, std::string::npos) << text;
  return place == std::string::npos ? text : text.replace(place, old.size(), now);
}

TEST(RequestText, IsRefusedWithValuesThatNoUserCouldGive) {
  auto settings = option::default_settings();
  settings.values[option::Key("bind")] = {"none", Origin::option, "x"};
  const auto text = to_text(make_request(settings));
  ASSERT_TRUE(request_from_text(text));
  EXPECT_FALSE(request_from_text(replaced(text, "4:bind", "4:bnid")));
  EXPECT_FALSE(request_from_text(replaced(text, "4:none", "4:nine")));
  EXPECT_FALSE(request_from_text(replaced(text, "4:none1 ", "4:none9 ")));
  EXPECT_FALSE(request_from_text(replaced(text, "5:torch", "16:../../etc/passwd")));
  EXPECT_FALSE(request_from_text(replaced(text, "1:x", "9000:" + std::string(9000, 'x'))));
}

TEST(RequestText, NamesItsSourcesInOneLine) {
  auto settings = option::default_settings();
  settings.profile.where = "/a\nb\x1b.yaml";
  const auto request = request_from_text(to_text(make_request(settings)));
  ASSERT_TRUE(request);
  EXPECT_TRUE(fixtures::is_one_line(request->profile_source.where));
}

TEST(RequestText, AnswersAnyTextWithARequestOrNothing) {
  fixtures::RandomText random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = i % 4 == 0 ? random.bytes(100) : to_text(generate(random));
    for (std::size_t count = random.below(4); count > 0; --count) text = random.mutate(text);
    const auto request = request_from_text(text);
    ASSERT_EQ(request ? request_from_text(to_text(*request)) : request, request);
  }
}

}  // namespace
}  // namespace muster::request
