#include "launcher/channel/step/step_request.hpp"

#include "core/option/keys.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::step {
namespace {

StepRequest attempt() {
  StepRequest made{.request = {},
                   .number = 3,
                   .key = secret::make_key(),
                   .program_elsewhere = true,
                   .channel = {.port = 40000, .addresses = {"10.0.0.1", "fd00::1"}},
                   .hint = "nomultithread",
                   .draw = "node7",
                   .quiet = true,
                   .chose_cpus = true,
                   .batch_host = "node1",
                   .job = {"7", "5", "2", "sweep", "alice", "node1"}};
  made.request.profile = "none";
  made.request.ranks = option::Ranks::contiguous;
  made.request.sources[option::Key("ranks")] = {Origin::option, "--distributed"};
  return made;
}

// The JSON of an attempt with one field changed.
std::string with(const std::string& field, const nlohmann::json& value) {
  auto json = nlohmann::json::parse(to_json(attempt()));
  json[field] = value;
  return json.dump();
}

void expect_refused(const std::string& text) {
  EXPECT_TRUE(fixtures::is_one_line(fixtures::error_of([&] { step_request_from_json(text); })))
      << text.substr(0, 120);
}

TEST(StepRequest, ComesBackAsItWas) {
  const auto made = attempt();
  const auto read = step_request_from_json(to_json(made));
  EXPECT_EQ(read.request, made.request);
  EXPECT_EQ(read.number, made.number);
  EXPECT_EQ(read.key, made.key);
  EXPECT_TRUE(read.program_elsewhere);
  EXPECT_TRUE(read.quiet);
  EXPECT_TRUE(read.chose_cpus);
  EXPECT_EQ(read.channel, made.channel);
  EXPECT_EQ(read.hint, "nomultithread");
  EXPECT_EQ(read.draw, made.draw);
  EXPECT_EQ(read.batch_host, "node1");
  EXPECT_EQ(read.job, made.job);
  EXPECT_EQ(to_json(read), to_json(made));
}

TEST(StepRequest, TravelsWithAUsersWordsOfAnyBytes) {
  auto made = attempt();
  made.hint = "multi\xff";
  made.draw = "node\x1b\xfe";
  const auto text = to_json(made);
  EXPECT_TRUE(fixtures::is_one_line(text));
  EXPECT_EQ(step_request_from_json(text).key, made.key);
}

TEST(StepRequest, IsRefusedWhenItDidNotArriveWhole) {
  const auto text = to_json(attempt());
  for (std::size_t size = 0; size < text.size(); ++size) expect_refused(text.substr(0, size));
  for (const auto* const field : {"attempt", "channel", "chose_cpus", "draw", "hint", "key",
                                  "program_elsewhere", "quiet", "request"}) {
    auto json = nlohmann::json::parse(text);
    json.erase(field);
    expect_refused(json.dump());
  }
}

TEST(StepRequest, IsRefusedWithAKeyOfAnotherLength) {
  const std::string key(64, 'a');
  EXPECT_NO_THROW(step_request_from_json(with("key", key)));
  for (const auto& wrong : {std::string(), key.substr(1), key.substr(2), key + "a", key + "aa",
                            std::string(64, 'g'), key.substr(2) + "a ", std::string(64, '\0')}) {
    expect_refused(with("key", wrong));
  }
}

TEST(StepRequest, IsRefusedWithValuesOfAnotherKind) {
  for (const nlohmann::json& wrong :
       {nlohmann::json("3"), nlohmann::json(), nlohmann::json::array({1})}) {
    expect_refused(with("attempt", wrong));
  }
  for (const nlohmann::json& wrong : {nlohmann::json("true"), nlohmann::json(1)}) {
    expect_refused(with("program_elsewhere", wrong));
    expect_refused(with("quiet", wrong));
    expect_refused(with("chose_cpus", wrong));
  }
  expect_refused(with("key", 7));
  expect_refused(with("request", nlohmann::json::object()));
  expect_refused(with("request", "{}"));
}

TEST(StepRequest, IsRefusedWithAChannelThatCannotBe) {
  using Json = nlohmann::json;
  EXPECT_NO_THROW(step_request_from_json(with("channel", Json::array({0}))));
  for (const auto& wrong :
       {Json(), Json("40000"), Json::array(), Json::array({65536}), Json::array({-1}),
        Json::array({"x"}), Json::array({1, 2}), Json::array({1, std::string(65, '1')}),
        Json::array({1, Json::array()}), Json(std::vector<int>(18, 1))}) {
    expect_refused(with("channel", wrong));
  }
}

TEST(StepRequest, IsRefusedWithANumberThatIsNoCount) {
  for (const nlohmann::json& wrong : {nlohmann::json(-1), nlohmann::json(1.5), nlohmann::json(true),
                                      nlohmann::json(1ULL << 32U)}) {
    expect_refused(with("attempt", wrong));
  }
}

TEST(StepRequest, IsRefusedWhenItIsTooLongOrTooDeep) {
  expect_refused(std::string(200'000, ' '));
  expect_refused(std::string(60'000, '['));
}

TEST(StepRequest, IsReadOrRefusedWhateverTheText) {
  fixtures::RandomText random(1);
  const auto good = to_json(attempt());
  for (int i = 0; i < 5000; ++i) {
    auto text = i % 4 == 0 ? random.bytes(60) : good;
    for (auto count = random.below(4); count > 0; --count) text = random.mutate(text);
    try {
      step_request_from_json(text);
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what())) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::step
