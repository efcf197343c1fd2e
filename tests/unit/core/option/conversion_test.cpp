#include "core/option/conversion.hpp"

#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace muster::option {
namespace {

Setting set(std::string value) {
  return {std::move(value), Origin::option, "--distributed"};
}

Values values(std::string_view key, std::string value) {
  return parse_value(key_named(key, "test").key, set(std::move(value)));
}

std::string error_for(Key key, const std::string& value) {
  return fixtures::error_of([&] { canonical(key, set(value)); });
}

TEST(Bind, IsOneOfItsWords) {
  EXPECT_EQ(values("bind", "none").bind, Bind::none);
  EXPECT_EQ(values("bind", "exclusive").bind, Bind::exclusive);
  EXPECT_EQ(error_for(Key("bind"), "non"),
            "--distributed: bind=non: unknown value; did you mean 'none'?");
}

// The closest word by spelling would be none, which is the opposite of what was meant.
TEST(Bind, UnderstandsTheWordsOfOtherTools) {
  EXPECT_EQ(error_for(Key("bind"), "node"),
            "--distributed: bind=node: unknown value; use bind=numa; torchrun calls this node");
  EXPECT_EQ(error_for(Key("bind"), "core-complex"),
            "--distributed: bind=core-complex: unknown value; use bind=l3; torchrun calls this "
            "core-complex");
  EXPECT_EQ(error_for(Key("supervise"), "node"),
            "--distributed: supervise=node: unknown value; use one of on, off");
}

TEST(Memory, IsOneOfItsWords) {
  EXPECT_EQ(values("memory", "local").memory, Memory::local);
  EXPECT_EQ(values("memory", "none").memory, Memory::none);
  EXPECT_EQ(error_for(Key("memory"), "strikt"),
            "--distributed: memory=strikt: unknown value; did you mean 'strict'?");
}

TEST(Network, IsAListOfGlobs) {
  EXPECT_TRUE(values("network", "auto").network.empty());
  EXPECT_EQ(values("network", "ib0+eth*").network, (std::vector<std::string>{"ib0", "eth*"}));
}

TEST(Network, RefusesWhatNoInterfaceIsCalled) {
  for (const auto* value : {"", "+", "ib0+", "a/b", "a b", "auto+ib0"}) {
    EXPECT_THROW(values("network", value).network, Error) << value;
  }
  EXPECT_THROW(values("network", std::string(65, 'x')), Error);
}

TEST(Port, IsOnePortOrARange) {
  EXPECT_EQ(values("port", "auto").port, std::nullopt);
  EXPECT_EQ(values("port", "29500").port, (PortRange{29500, 29500}));
  EXPECT_EQ(values("port", "1024-65535").port, (PortRange{1024, 65535}));
}

TEST(Port, RefusesPrivilegedPorts) {
  EXPECT_EQ(error_for(Key("port"), "80"),
            "--distributed: port=80: ports below 1024 are privileged; use 1024 to 65535");
  EXPECT_THROW(values("port", "80-2000").port, Error);
}

TEST(Port, RefusesAnEmptyRange) {
  EXPECT_EQ(error_for(Key("port"), "3000-2000"),
            "--distributed: port=3000-2000: empty range; use 2000-3000");
}

TEST(Port, RefusesWhatIsNoPort) {
  for (const auto* value : {"", "-", "1-", "-1", "65536", "99999999999999999999", "0x500", " 2000",
                            "2000 ", "2000-3000-4000", "2000.0", "+2000"}) {
    EXPECT_THROW(values("port", value).port, Error) << value;
  }
}

TEST(Nodes, IsAMinimumWithOrWithoutAMaximum) {
  EXPECT_EQ(values("nodes", "all").nodes, std::nullopt);
  EXPECT_EQ(values("nodes", "2").nodes, (NodeRange{2, std::nullopt}));
  EXPECT_EQ(values("nodes", "2:4").nodes, (NodeRange{2, 4}));
  EXPECT_EQ(error_for(Key("nodes"), "4:2"), "--distributed: nodes=4:2: empty range; use 2:4");
  EXPECT_THROW(values("nodes", "0").nodes, Error);
}

TEST(Count, IsAWholeNumber) {
  EXPECT_EQ(values("restarts", "3").restarts, 3U);
  EXPECT_EQ(error_for(Key("restarts"), "many"),
            "--distributed: restarts=many: 'many' is not a whole number; use 0 to 1000");
  EXPECT_EQ(values("spares", "1000").spares, 1000U);
  EXPECT_THROW(values("spares", "1001").spares, Error);
}

TEST(Norestart, IsAListOfExitCodesOrNone) {
  EXPECT_EQ(Values{}.norestart.codes, std::vector<std::uint32_t>{93});
  EXPECT_EQ(values("norestart", "3").norestart.codes, std::vector<std::uint32_t>{3});
  EXPECT_EQ(values("norestart", "255+1").norestart.codes, (std::vector<std::uint32_t>{1, 255}));
  EXPECT_TRUE(values("norestart", "none").norestart.codes.empty());
  EXPECT_EQ(error_for(Key("norestart"), "0"),
            "--distributed: norestart=0: exit code 0 is success; use 1 to 255");
  for (const auto* value : {"", "256", "-1", "3+", "93+none", "SIGTERM"}) {
    EXPECT_THROW(values("norestart", value), Error) << value;
  }
}

TEST(Norestart, HasOneTextForOneSetOfCodes) {
  EXPECT_EQ(canonical(Key("norestart"), set("93+3+093")), "3+93");
  EXPECT_EQ(canonical(Key("norestart"), set("none")), "none");
}

TEST(Progress, IsAFileOrOff) {
  EXPECT_EQ(Values{}.progress, std::nullopt);
  EXPECT_EQ(values("progress", "off").progress, std::nullopt);
  EXPECT_EQ(values("progress", "ckpt/step").progress, "ckpt/step");
  EXPECT_THROW(values("progress", "a\nb"), Error);
}

TEST(View, IsAWordOrAListOfRanks) {
  EXPECT_EQ(values("view", "all").view.show, View::Show::all);
  EXPECT_EQ(values("view", "none").view.show, View::Show::none);
  EXPECT_EQ(values("view", "0+7").view, (View{.show = View::Show::ranks, .ranks = {{0}, {7}}}));
  EXPECT_EQ(values("view", "all:err").view,
            (View{.show = View::Show::all, .streams = Streams::err}));
  EXPECT_EQ(values("view", "0:out+7").view,
            (View{.show = View::Show::ranks, .ranks = {{0, Streams::out}, {7}}}));
  for (const auto* wrong : {"0+all", "first:err", "none:out", "0:", "0:both", ":err", "all:err:out",
                            "all:err+0", "0:err:err"}) {
    EXPECT_THROW(values("view", wrong), Error) << wrong;
  }
}

TEST(Times, HaveTheUnitOfTheirKey) {
  EXPECT_EQ(values("grace", "auto").grace, std::nullopt);
  EXPECT_EQ(values("grace", "90").grace, std::chrono::seconds(90));
  EXPECT_EQ(values("hang", "off").hang, std::nullopt);
  EXPECT_EQ(values("hang", "10").hang, (Hang{std::chrono::minutes(10), false}));
  EXPECT_EQ(values("hang", "10+restart").hang, (Hang{std::chrono::minutes(10), true}));
  EXPECT_EQ(values("hang", "90s+restart").hang, (Hang{std::chrono::seconds(90), true}));
  EXPECT_EQ(values("hang", "5s").hang, (Hang{std::chrono::seconds(5), false}));
  for (const auto* wrong :
       {"10+again", "0", "4s", "s", "+restart", "10 s", "1.5", "10:00", "2592001s", "721h"}) {
    EXPECT_THROW(values("hang", wrong), Error) << wrong;
  }
}

TEST(Conversion, ASlowRankHasAPercentageOrTheUsualOne) {
  EXPECT_EQ(values("slow", "off").slow, std::nullopt);
  EXPECT_EQ(values("slow", "on").slow, (Slow{2, false}));
  EXPECT_EQ(values("slow", "10").slow, (Slow{10, false}));
  EXPECT_EQ(values("slow", "on+replace").slow, (Slow{2, true}));
  EXPECT_EQ(values("slow", "5+replace").slow, (Slow{5, true}));
  for (const auto* wrong : {"0", "91", "10%", "+replace", "on+restart", "off+replace", "1.5", ""})
    EXPECT_THROW(values("slow", wrong), Error) << wrong;
  EXPECT_EQ(canonical(Key("slow"), set("02+replace")), "on+replace");
  EXPECT_EQ(canonical(Key("slow"), set("07")), "7");
}

TEST(Times, TakeAUnitWhereverOneIsGiven) {
  EXPECT_EQ(values("hang", "10min").hang, values("hang", "10").hang);
  EXPECT_EQ(values("hang", "1h30m+restart").hang, (Hang{std::chrono::minutes(90), true}));
  EXPECT_EQ(values("stop", "5m").stop, values("stop", "5").stop);
  EXPECT_EQ(values("stop", "90s").stop->before, std::chrono::seconds(90));
  EXPECT_EQ(values("grace", "30s").grace, values("grace", "30").grace);
  EXPECT_EQ(values("heartbeat", "10s").heartbeat, values("heartbeat", "10").heartbeat);
  EXPECT_EQ(values("health-timeout", "2m").health_timeout.limit, std::chrono::minutes(2));
  EXPECT_EQ(values("preflight", "90s").preflight->limit, std::chrono::seconds(90));
  EXPECT_EQ(values("grace", "0:01:30").grace, std::chrono::seconds(90));
}

TEST(Times, HaveOneTextForMachines) {
  for (const auto& [key, text, same] :
       std::vector<std::array<std::string, 3>>{{"hang", "600s+restart", "10+restart"},
                                               {"hang", "1m30s", "90s"},
                                               {"stop", "1h", "60"},
                                               {"stop", "30s", "30s"},
                                               {"grace", "1m", "60"},
                                               {"heartbeat", "0:00:10", "10"},
                                               {"preflight", "10s", "on"}}) {
    EXPECT_EQ(canonical(key_named(key, "test").key, set(text)), same) << key << '=' << text;
  }
}

TEST(Times, NameTheirUnitsWhereTheyAreWrong) {
  EXPECT_EQ(
      error_for(Key("hang"), "10:30"),
      "--distributed: hang=10:30: '10:30' is not a duration; use 5s to 720h, such as 30s, 2m or 1m30s; "
      "a number without a unit means minutes");
  EXPECT_EQ(
      error_for(Key("stop"), "25h"),
      "--distributed: stop=25h: '25h' is out of range; use 1s to 24h, such as 30s, 2m or 1m30s; "
      "a number without a unit means minutes");
}

TEST(Heartbeat, IsBetweenASecondAndAnHour) {
  EXPECT_EQ(Values{}.heartbeat.limit, std::chrono::seconds(10));
  EXPECT_EQ(values("heartbeat", "1").heartbeat.limit, std::chrono::seconds(1));
  EXPECT_EQ(values("heartbeat", "3600").heartbeat.limit, std::chrono::hours(1));
  EXPECT_EQ(
      error_for(Key("heartbeat"), "0"),
      "--distributed: heartbeat=0: '0' is out of range; use 1s to 1h, such as 30s, 2m or 1m30s; a number "
      "without a unit means seconds");
  EXPECT_THROW(values("heartbeat", "3601"), Error);
  EXPECT_THROW(values("heartbeat", "auto"), Error);
}

TEST(Report, IsAFileOrOff) {
  EXPECT_EQ(Values{}.report, std::nullopt);
  EXPECT_EQ(values("report", "off").report, std::nullopt);
  EXPECT_EQ(values("report", "out/%j.json").report, "out/%j.json");
  EXPECT_THROW(values("report", "a\nb"), Error);
}

TEST(Exit, IsOfTheFirstFailureOrSlurms) {
  EXPECT_EQ(Values{}.exit, Exit::first);
  EXPECT_EQ(values("exit", "slurm").exit, Exit::slurm);
  EXPECT_THROW(values("exit", "last"), Error);
}

TEST(Switch, IsOnOrOff) {
  EXPECT_TRUE(values("supervise", "on").supervise);
  EXPECT_FALSE(values("supervise", "off").supervise);
  EXPECT_EQ(error_for(Key("supervise"), "of"),
            "--distributed: supervise=of: unknown value; did you mean 'off'?");
}

TEST(Logs, RefusesWhatTheOptionCannotSay) {
  EXPECT_EQ(values("logs", "out/%j").logs, "out/%j");
  EXPECT_THROW(values("logs", "a,b").logs, Error);
  EXPECT_THROW(values("logs", "a\nb").logs, Error);
  EXPECT_THROW(values("logs", "\xFF").logs, Error);
}

TEST(Stop, IsUpToADay) {
  EXPECT_EQ(Values{}.stop, std::nullopt);
  EXPECT_EQ(values("stop", "off").stop, std::nullopt);
  EXPECT_EQ(values("stop", "1440").stop->before, std::chrono::minutes(1440));
  for (const std::string value : {"0", "1441", "1.5", "-1", "1:00"}) {
    EXPECT_THROW(values("stop", value), Error) << value;
  }
}

TEST(Health, IsACommandAndHasALimit) {
  EXPECT_EQ(Values{}.health, std::nullopt);
  EXPECT_EQ(values("health", "off").health, std::nullopt);
  EXPECT_EQ(values("health", "/site/check").health, "/site/check");
  EXPECT_EQ(Values{}.health_timeout.limit, std::chrono::seconds(5));
  EXPECT_EQ(values("health-timeout", "300").health_timeout.limit, std::chrono::minutes(5));
  EXPECT_EQ(
      error_for(Key("health-timeout"), "0"),
      "--distributed: health-timeout=0: '0' is out of range; use 1s to 5m, such as 30s, 2m or 1m30s; a "
      "number without a unit means seconds");
  EXPECT_THROW(values("health-timeout", "301"), Error);
}

TEST(Preflight, IsOffOrOnOrHasALimit) {
  EXPECT_EQ(Values{}.preflight, std::nullopt);
  EXPECT_EQ(values("preflight", "off").preflight, std::nullopt);
  EXPECT_EQ(values("preflight", "on").preflight, option::Preflight{});
  EXPECT_EQ(values("preflight", "300").preflight->limit, std::chrono::minutes(5));
  EXPECT_EQ(
      error_for(Key("preflight"), "0"),
      "--distributed: preflight=0: '0' is out of range; use 1s to 5m, such as 30s, 2m or 1m30s; a number "
      "without a unit means seconds");
  EXPECT_THROW(values("preflight", "301"), Error);
  EXPECT_THROW(values("preflight", "yes"), Error);
}

TEST(Canonical, IsStable) {
  const std::vector<std::pair<Key, std::string>> values{
      {Key("memory"), "strict"},  {Key("smt"), "off"},          {Key("bind"), "numa"},
      {Key("gpus"), "own"},       {Key("ranks"), "contiguous"}, {Key("network"), "a+b*"},
      {Key("port"), "2000-2001"}, {Key("restarts"), "007"},     {Key("nodes"), "2:4"},
      {Key("spares"), "1"},       {Key("logs"), "dir"},         {Key("view"), "0+01"},
      {Key("grace"), "5"},        {Key("hang"), "5+restart"},   {Key("verbose"), "on"},
      {Key("heartbeat"), "030"},  {Key("report"), "r.json"},    {Key("exit"), "slurm"},
      {Key("norestart"), "9+3"},  {Key("progress"), "step"},    {Key("requeue"), "02"},
      {Key("stop"), "05"},        {Key("health"), "check"},     {Key("health-timeout"), "07"},
      {Key("preflight"), "010"},  {Key("slow"), "07+replace"},
  };
  for (const auto& [key, value] : values) {
    const std::string once = canonical(key, set(value));
    EXPECT_EQ(canonical(key, set(once)), once);
  }
  EXPECT_EQ(canonical(Key("restarts"), set("007")), "7");
}

TEST(EveryParser, AnswersAnyTextWithAValueOrAnError) {
  fixtures::RandomText random(2);
  const std::vector<std::string> pieces{"auto", "+",   "-", ":",  "1",    "65535", "4294967296",
                                        "off",  "all", "*", "\n", "\xC3", "on",    " "};
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = i % 2 == 0 ? random.bytes(24) : random.pieces(pieces, 6);
    const Key key = keys()[random.below(keys().size())].key;
    try {
      canonical(key, set(text));
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what())) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::option
