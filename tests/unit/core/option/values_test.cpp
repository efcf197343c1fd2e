#include "core/option/values.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace muster {
namespace {

Setting set(std::string value) {
  return {std::move(value), Origin::option, "--distributed"};
}

std::string error_for(Key key, const std::string& value) {
  return test::error_of([&] { canonical(key, set(value)); });
}

TEST(Bind, IsOneOfItsWords) {
  EXPECT_EQ(parse_bind(set("none")), Bind::none);
  EXPECT_EQ(parse_bind(set("exclusive")), Bind::exclusive);
  EXPECT_EQ(error_for(Key::bind, "non"),
            "--distributed: bind=non: unknown value; did you mean 'none'?");
}

// The nearest word by its letters would be none: the opposite of what was meant.
TEST(Bind, UnderstandsTheWordsOfOtherTools) {
  EXPECT_EQ(error_for(Key::bind, "node"),
            "--distributed: bind=node: unknown value; use bind=numa, which torchrun calls node");
  EXPECT_EQ(error_for(Key::bind, "core-complex"),
            "--distributed: bind=core-complex: unknown value; use bind=l3, which torchrun calls "
            "core-complex");
  EXPECT_EQ(error_for(Key::supervise, "node"),
            "--distributed: supervise=node: unknown value; use one of on, off");
}

TEST(Memory, IsOneOfItsWords) {
  EXPECT_EQ(parse_memory(set("local")), Memory::local);
  EXPECT_EQ(parse_memory(set("none")), Memory::none);
  EXPECT_EQ(error_for(Key::memory, "strikt"),
            "--distributed: memory=strikt: unknown value; did you mean 'strict'?");
}

TEST(Network, IsAListOfGlobs) {
  EXPECT_TRUE(parse_network(set("auto")).empty());
  EXPECT_EQ(parse_network(set("ib0+eth*")), (std::vector<std::string>{"ib0", "eth*"}));
}

TEST(Network, RefusesWhatNoInterfaceIsCalled) {
  for (const auto* value : {"", "+", "ib0+", "a/b", "a b", "auto+ib0"}) {
    EXPECT_THROW(parse_network(set(value)), Error) << value;
  }
  EXPECT_THROW(parse_network(set(std::string(65, 'x'))), Error);
}

TEST(Port, IsOnePortOrARange) {
  EXPECT_EQ(parse_port(set("auto")), std::nullopt);
  EXPECT_EQ(parse_port(set("29500")), (PortRange{29500, 29500}));
  EXPECT_EQ(parse_port(set("1024-65535")), (PortRange{1024, 65535}));
}

TEST(Port, RefusesPrivilegedPorts) {
  EXPECT_EQ(error_for(Key::port, "80"),
            "--distributed: port=80: ports below 1024 are privileged; use 1024 to 65535");
  EXPECT_THROW(parse_port(set("80-2000")), Error);
}

TEST(Port, RefusesAnEmptyRange) {
  EXPECT_EQ(error_for(Key::port, "3000-2000"),
            "--distributed: port=3000-2000: empty range; use 2000-3000");
}

TEST(Port, RefusesWhatIsNoPort) {
  for (const auto* value : {"", "-", "1-", "-1", "65536", "99999999999999999999", "0x500", " 2000",
                            "2000 ", "2000-3000-4000", "2000.0", "+2000"}) {
    EXPECT_THROW(parse_port(set(value)), Error) << value;
  }
}

TEST(Nodes, IsAMinimumWithOrWithoutAMaximum) {
  EXPECT_EQ(parse_nodes(set("all")), std::nullopt);
  EXPECT_EQ(parse_nodes(set("2")), (NodeRange{2, std::nullopt}));
  EXPECT_EQ(parse_nodes(set("2:4")), (NodeRange{2, 4}));
  EXPECT_EQ(error_for(Key::nodes, "4:2"), "--distributed: nodes=4:2: empty range; use 2:4");
  EXPECT_THROW(parse_nodes(set("0")), Error);
}

TEST(Count, IsAWholeNumber) {
  EXPECT_EQ(parse_count(Key::restarts, set("3")), 3U);
  EXPECT_EQ(error_for(Key::restarts, "many"),
            "--distributed: restarts=many: 'many' is not a whole number; use 0 to 1000000");
  EXPECT_THROW(parse_count(Key::spares, set("1000001")), Error);
}

TEST(View, IsAWordOrAListOfRanks) {
  EXPECT_EQ(parse_view(set("all")).show, View::Show::all);
  EXPECT_EQ(parse_view(set("failed")).show, View::Show::failed);
  EXPECT_EQ(parse_view(set("0+7")), (View{View::Show::ranks, {0, 7}}));
  EXPECT_THROW(parse_view(set("0+all")), Error);
}

TEST(Times, HaveTheUnitOfTheirKey) {
  EXPECT_EQ(parse_grace(set("auto")), std::nullopt);
  EXPECT_EQ(parse_grace(set("90")), std::chrono::seconds(90));
  EXPECT_EQ(parse_hang(set("off")), std::nullopt);
  EXPECT_EQ(parse_hang(set("10")), std::chrono::minutes(10));
}

TEST(Switch, IsOnOrOff) {
  EXPECT_TRUE(parse_switch(Key::supervise, set("on")));
  EXPECT_FALSE(parse_switch(Key::supervise, set("off")));
  EXPECT_EQ(error_for(Key::supervise, "of"),
            "--distributed: supervise=of: unknown value; did you mean 'off'?");
}

TEST(Logs, RefusesWhatTheOptionCannotSay) {
  EXPECT_EQ(parse_logs(set("out/%j")), "out/%j");
  EXPECT_THROW(parse_logs(set("a,b")), Error);
  EXPECT_THROW(parse_logs(set("a\nb")), Error);
  EXPECT_THROW(parse_logs(set("\xFF")), Error);
}

TEST(Canonical, IsStable) {
  const std::vector<std::pair<Key, std::string>> values{
      {Key::memory, "strict"},  {Key::smt, "off"},          {Key::bind, "numa"},
      {Key::gpus, "own"},       {Key::ranks, "contiguous"}, {Key::network, "a+b*"},
      {Key::port, "2000-2001"}, {Key::restarts, "007"},     {Key::nodes, "2:4"},
      {Key::spares, "1"},       {Key::logs, "dir"},         {Key::view, "0+01"},
      {Key::grace, "5"},        {Key::hang, "5"},           {Key::verbose, "on"},
  };
  for (const auto& [key, value] : values) {
    const std::string once = canonical(key, set(value));
    EXPECT_EQ(canonical(key, set(once)), once);
  }
  EXPECT_EQ(canonical(Key::restarts, set("007")), "7");
}

TEST(EveryParser, AnswersAnyTextWithAValueOrAnError) {
  test::RandomText random(2);
  const std::vector<std::string> pieces{"auto", "+",   "-", ":",  "1",    "65535", "4294967296",
                                        "off",  "all", "*", "\n", "\xC3", "on",    " "};
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = i % 2 == 0 ? random.bytes(24) : random.pieces(pieces, 6);
    const Key key = keys()[random.below(keys().size())].key;
    try {
      canonical(key, set(text));
    } catch (const Error& error) {
      ASSERT_TRUE(test::is_one_line(error.what())) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster
