#include "core/slow/text.hpp"

#include "core/slow/json.hpp"

#include <gtest/gtest.h>

namespace muster::slow {
namespace {

using std::chrono::milliseconds;

Named usual() {
  return {.node = "n3",
          .rank = 12,
          .operation = "all_reduce",
          .group = "default_pg",
          .last_percent = 94,
          .delay = milliseconds(400),
          .period = milliseconds(2100),
          .time_percent = 19};
}

TEST(SlowText, SaysWhoItIsAndWhatItCosts) {
  auto named = usual();
  EXPECT_EQ(
      line(named),
      "rank 12 on n3 arrives last in 94 % of all_reduce, 0.40 s of each 2.1 s: 19 % of the time");
  named.cause = "its CPUs are throttled 38 % of the time by its control group";
  EXPECT_TRUE(line(named).ends_with(
      "19 % of the time; its CPUs are throttled 38 % of the time by its control group"));
  named.rank.reset();
  named.group = "tp";
  named.period = milliseconds(45);
  named.delay = milliseconds(5);
  EXPECT_TRUE(line(named).starts_with(
      "node n3 arrives last in 94 % of all_reduce of tp, 5.0 ms of each 45 ms: "));
}

TEST(SlowJson, ComesBack) {
  auto named = usual();
  named.lost = milliseconds(12300);
  named.over = true;
  named.cause = "it computes longer";
  const auto json = nlohmann::json(to_json(named));
  EXPECT_EQ(named_from(json), named);
  EXPECT_EQ(json.at("text"), line(named));
  EXPECT_EQ(named_from(nlohmann::json(3)), Named{});
  EXPECT_EQ(named_from({{"node", "a\nb"}, {"delay_seconds", -5}, {"rank", "x"}}).node, "a b");
}

}  // namespace
}  // namespace muster::slow
