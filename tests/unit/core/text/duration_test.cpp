#include "core/text/duration.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::text {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

std::optional<seconds> read(std::string_view text) {
  return duration(text, minutes(1));
}

TEST(Duration, WithoutAUnitCountsTheKeysUnit) {
  EXPECT_EQ(duration("10", seconds(1)), seconds(10));
  EXPECT_EQ(duration("10", minutes(1)), minutes(10));
  EXPECT_EQ(duration("007", seconds(1)), seconds(7));
  EXPECT_EQ(duration("0", minutes(1)), seconds(0));
}

TEST(Duration, HasTheUnitsThatPeopleWrite) {
  for (const auto* text : {"90s", "90sec", "90secs", "90second", "90seconds", "1m30s", "1min30sec"})
    EXPECT_EQ(read(text), seconds(90)) << text;
  for (const auto* text : {"10m", "10min", "10mins", "10minute", "10minutes", "600s"})
    EXPECT_EQ(read(text), minutes(10)) << text;
  for (const auto* text : {"24h", "24hr", "24hrs", "24hour", "24hours", "1d", "1day", "23h60m"})
    EXPECT_EQ(read(text), hours(24)) << text;
  EXPECT_EQ(read("1h30m"), minutes(90));
  EXPECT_EQ(read("1d2h3m4s"), hours(26) + minutes(3) + seconds(4));
}

TEST(Duration, HasSlurmsFormsThatMeanOneThingOnly) {
  EXPECT_EQ(read("1:30:00"), minutes(90));
  EXPECT_EQ(read("0:00:05"), seconds(5));
  EXPECT_EQ(read("100:00:00"), hours(100));
  EXPECT_EQ(read("1-12:00"), hours(36));
  EXPECT_EQ(read("1-12:00:30"), hours(36) + seconds(30));
  for (const auto* text :
       {"10:30", "1-12", "1:3:00", "1:60:00", "1:00:60", "1-", "-1:00", "1-2-3:00", "1:00:00:00",
        "1-1:00:00:00", ":00:00", "1::00", "1:00:0a", "1h:00:00"})
    EXPECT_EQ(read(text), std::nullopt) << text;
}

TEST(Duration, RefusesWhatCouldMeanAnything) {
  for (const auto* text :
       {"",    "s",     "m10",  "10x",  "1.5h", "10 m", " 10", "10 ",  "-1",  "+1",
        "-5s", "30m1h", "1m1m", "1h30", "10M",  "10ms", "1e3", "0x10", "ten", "1h-30m"})
    EXPECT_EQ(read(text), std::nullopt) << text;
}

TEST(Duration, OfAnyLengthOverflowsNothing) {
  for (const auto* text :
       {"99999999999999999999999", "99999999999999999999999d", "9999999999999999-00:00",
        "9223372036854775807s", "999999999999999h999999999999999m"})
    EXPECT_EQ(read(text), max_duration) << text;
}

TEST(DurationText, IsShort) {
  EXPECT_EQ(to_text(seconds(0)), "0s");
  EXPECT_EQ(to_text(seconds(90)), "1m30s");
  EXPECT_EQ(to_text(hours(24)), "24h");
  EXPECT_EQ(to_text(hours(1) + seconds(1)), "1h1s");
  EXPECT_EQ(to_text(minutes(10), minutes(1)), "10");
  EXPECT_EQ(to_text(seconds(90), minutes(1)), "90s");
}

// A thousand times of every magnitude, written and read back; and any text that is accepted has one canonical
// form.
TEST(DurationText, IsReadAsTheSameTime) {
  std::mt19937_64 random(20261125);
  for (int i = 0; i < 1000; ++i) {
    const auto bits = std::uniform_int_distribution<int>(0, 34)(random);
    const seconds time(
        std::uniform_int_distribution<std::int64_t>(0, std::int64_t{1} << bits)(random));
    for (const auto unit : {seconds(1), seconds(60)}) {
      EXPECT_EQ(duration(to_text(time), unit), time) << to_text(time);
      EXPECT_EQ(duration(to_text(time, unit), unit), time) << to_text(time, unit);
    }
  }
}

TEST(DurationText, OfWhateverIsReadIsStable) {
  const std::string letters = "0123456789smhd:-in ";
  std::mt19937_64 random(7);
  int read_texts = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    const auto length = std::uniform_int_distribution<int>(1, 8)(random);
    for (int at = 0; at < length; ++at)
      text += letters[std::uniform_int_distribution<std::size_t>(0, letters.size() - 1)(random)];
    const auto time = duration(text, seconds(60));
    if (!time) continue;
    ++read_texts;
    EXPECT_GE(*time, seconds(0)) << text;
    EXPECT_LE(*time, max_duration) << text;
    EXPECT_EQ(duration(to_text(*time, seconds(60)), seconds(60)), *time) << text;
  }
  EXPECT_GT(read_texts, 1000);
}

}  // namespace
}  // namespace muster::text
