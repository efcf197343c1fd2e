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
      "rank 12 on n3 arrives last in 94 % of all_reduce calls, which costs 0.40 s of every 2.1 s: 19 % of "
      "the time");
  named.cause = "its CPUs are throttled 38 % of the time by its control group";
  EXPECT_TRUE(line(named).ends_with(
      "19 % of the time; its CPUs are throttled 38 % of the time by its control group"));
  named.rank.reset();
  named.group = "tp";
  named.period = milliseconds(45);
  named.delay = milliseconds(5);
  EXPECT_TRUE(line(named).starts_with(
      "node n3 arrives last in 94 % of all_reduce calls of tp, which costs 5.0 ms of every 45 ms: "));
}

Named narrow_link() {
  return {.node = "n2",
          .time_percent = 79,
          .link = NamedLink{.to = "n3", .speed = 11.2e6, .others = 240e6, .busy_percent = 83}};
}

TEST(SlowText, SaysHowSlowALinkIsAndWhatItCosts) {
  auto named = narrow_link();
  EXPECT_EQ(
      line(named),
      "the link from n2 to n3 carries 11 MB/s while busy, the others 240 MB/s (median); it is busy 83 % of "
      "the time: about 79 % of the time is lost");
  named.link->repeated_percent = 2.25;
  EXPECT_TRUE(line(named).ends_with(" is lost; 2.2 % of its TCP segments are retransmitted"))
      << line(named);
  named.link->to.clear();
  EXPECT_TRUE(line(named).starts_with("the network of n2 carries 11 MB/s ")) << line(named);
  named.link->direction = Direction::out;
  EXPECT_TRUE(line(named).starts_with("the network of n2 sends 11 MB/s ")) << line(named);
  named.link->direction = Direction::in;
  named.link->speed = 8100;
  EXPECT_TRUE(line(named).starts_with(
      "the network of n2 receives 8.1 kB/s while busy, the others 240000 kB/s "))
      << line(named);
}

TEST(SlowJson, ALinkComesBackWithoutAnythingAboutCollectives) {
  auto named = narrow_link();
  for (const auto direction : {Direction::both, Direction::out, Direction::in}) {
    named.link->direction = direction;
    named.link->to = direction == Direction::both ? "n3" : "";
    const auto json = nlohmann::json(to_json(named));
    EXPECT_EQ(named_from(json), named);
    EXPECT_TRUE(json.at("rank").is_null() && json.at("operation").is_null());
    EXPECT_TRUE(json.at("last_percent").is_null() && json.at("delay_seconds").is_null());
  }
  EXPECT_TRUE(nlohmann::json(to_json(usual())).at("link").is_null());
  EXPECT_FALSE(named_from({{"link", 3}}).link);
  EXPECT_EQ(named_from({{"link", {{"to", "a\nb"}, {"bytes_per_second", -4}}}}).link,
            (NamedLink{.to = "a b"}));
}

TEST(SlowJson, ComesBack) {
  auto named = usual();
  named.lost = milliseconds(12300);
  named.over = true;
  named.cause = "it computes for longer than its peers";
  const auto json = nlohmann::json(to_json(named));
  EXPECT_EQ(named_from(json), named);
  EXPECT_EQ(json.at("text"), line(named));
  EXPECT_EQ(named_from(nlohmann::json(3)), Named{});
  EXPECT_EQ(named_from({{"node", "a\nb"}, {"delay_seconds", -5}, {"rank", "x"}}).node, "a b");
}

TEST(SlowHeldUp, CountsRanksThatTakeTurnsAndOneOfTheLinksThatAreSlowTogether) {
  using std::chrono::seconds;
  const Named rank{.node = "n1", .lost = seconds(3)};
  const Named other{.node = "n2", .lost = seconds(4)};
  const Named link{.node = "n1", .lost = seconds(10), .link = NamedLink{.to = "n2"}};
  const Named worse{.node = "n2", .lost = seconds(20), .link = NamedLink{.to = "n1"}};
  EXPECT_EQ(held_up({}), seconds(0));
  EXPECT_EQ(held_up({rank, link, worse, other}), seconds(27));
}

}  // namespace
}  // namespace muster::slow
