#include "core/slow/answer.hpp"

#include "core/error.hpp"
#include "core/text/json.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace muster::slow {
namespace {

using nlohmann::json;

json usual() {
  return json::parse(
      R"({"rank": 5, "cost": 0.0125, "operations": ["all_reduce", "barrier"], "base": 1000,
    "groups": [{"group": "0", "text": "default_pg", "backend": "gloo", "size": 3, "ranks": "0-1,5", "pairs": false}],
    "times": [[0, 4, 0, 0], [0, 5, 1, 70]]})");
}

void expect_refused(const std::function<void(json&)>& change) {
  auto answer = usual();
  change(answer);
  EXPECT_THROW(answer_of(answer.dump()), Error) << answer.dump();
}

TEST(SlowAnswer, HasTheTimesOfARanksCollectives) {
  const auto answer = answer_of(usual().dump());
  EXPECT_EQ(answer.rank, 5U);
  EXPECT_EQ(answer.cost, std::chrono::microseconds(12500));
  ASSERT_EQ(answer.groups.size(), 1U);
  EXPECT_EQ(answer.groups[0].ranks, "0-1,5");
  ASSERT_EQ(answer.arrivals.size(), 2U);
  EXPECT_EQ(answer.arrivals[1].wall, std::chrono::nanoseconds(1070));
  EXPECT_EQ(answer.operations.at(answer.arrivals[1].operation), "barrier");
}

TEST(SlowAnswer, IsRefusedIfItIsAnythingElse) {
  expect_refused([](auto& answer) { answer["rank"] = nullptr; });
  expect_refused([](auto& answer) { answer["rank"] = -1; });
  expect_refused([](auto& answer) { answer["cost"] = "much"; });
  expect_refused([](auto& answer) { answer["cost"] = -1; });
  expect_refused([](auto& answer) { answer["cost"] = 1e300; });
  expect_refused([](auto& answer) { answer.erase("groups"); });
  expect_refused([](auto& answer) { answer["groups"] = json::array({1}); });
  expect_refused([](auto& answer) { answer["groups"] = json::array(); });
  expect_refused([](auto& answer) { answer["groups"][0]["size"] = 1ULL << 40; });
  expect_refused([](auto& answer) { answer["operations"] = json::array(); });
  expect_refused([](auto& answer) { answer["times"][0] = json::array({0, 1}); });
  expect_refused([](auto& answer) { answer["times"][0][0] = 1; });
  expect_refused([](auto& answer) { answer["times"][0][3] = ~0ULL; });
  expect_refused([](auto& answer) { answer["times"][0][3] = 0.5; });
  expect_refused([](auto& answer) { answer["base"] = ~0ULL; });
  expect_refused([](auto& answer) { answer = {{"error", "KeyError: 'op_id'"}}; });
  expect_refused([](auto& answer) { answer = json::array(); });
  for (const auto* text : {"", "{", "null", "[[[[[[[[", "\xff\xfe"})
    EXPECT_THROW(answer_of(text), Error) << text;
  EXPECT_THROW(answer_of(std::string(max_answer_bytes + 1, ' ')), Error);
}

TEST(SlowAnswer, HasNoMoreTimesThanAreAskedFor) {
  auto answer = usual();
  for (std::size_t i = 2; i < max_collectives; ++i) answer["times"].push_back({0, i, 0, i});
  EXPECT_EQ(answer_of(answer.dump()).arrivals.size(), max_collectives);
  answer["times"].push_back({0, 9, 0, 9});
  EXPECT_THROW(answer_of(answer.dump()), Error);
}

}  // namespace
}  // namespace muster::slow
