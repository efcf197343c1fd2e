#include "launcher/command/words.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::command {
namespace {

using List = std::vector<std::string>;

// A command with an option of every kind.
class Sample {
 public:
  Sample() : with_words_("exec", ""), without_("topo", "") {
    for (auto* const command : {&with_words_, &without_}) {
      command->flag("--json", flag_, "")
          .value("--layout", value_, "")
          .value_or_nothing("--distributed", perhaps_, "");
    }
    with_words_.needs_to_hand_on("command", handed_on_, "");
  }

  Words split(const List& words) const { return split_words(with_words_, words); }
  Words split_without(const List& words) const { return split_words(without_, words); }

 private:
  bool flag_ = false;
  std::string value_;
  std::optional<std::string> perhaps_;
  List handed_on_;
  Command with_words_;
  Command without_;
};

void expect_split(const List& words, const List& own, const List& handed_on) {
  const auto split = Sample().split(words);
  EXPECT_EQ(split.own, own);
  EXPECT_EQ(split.handed_on, handed_on);
}

TEST(Words, OfTheProgramBeginBehindTwoDashes) {
  expect_split({"--", "a", "-b"}, {}, {"a", "-b"});
  expect_split({"--json", "--", "a"}, {"--json"}, {"a"});
  expect_split({"--", "--", "a", "--"}, {}, {"--", "a", "--"});
  expect_split({"--", "--json"}, {}, {"--json"});
  expect_split({"--json", "--"}, {"--json"}, {});
}

TEST(Words, OfTheProgramBeginAtTheFirstThatIsNoOption) {
  expect_split({"a", "--json", "--", "b"}, {}, {"a", "--json", "--", "b"});
  expect_split({"--json", "a", "--layout=x"}, {"--json"}, {"a", "--layout=x"});
  expect_split({"", "a"}, {}, {"", "a"});
  expect_split({"-", "a"}, {}, {"-", "a"});
  expect_split({"-1"}, {}, {"-1"});
}

TEST(Words, OfMustersOwnHaveTheirValuesWhateverTheseAre) {
  expect_split({"--layout", "--", "--", "a"}, {"--layout=--"}, {"a"});
  expect_split({"--layout", "", "a"}, {"--layout="}, {"a"});
  expect_split({"--layout=", "a"}, {"--layout="}, {"a"});
  expect_split({"--layout", "--json", "a"}, {"--layout=--json"}, {"a"});
  expect_split({"--layout"}, {"--layout"}, {});
}

TEST(Words, OfAnOptionThatMayHaveAValueLeaveTheProgramOne) {
  expect_split({"--distributed", "off", "a"}, {"--distributed=off"}, {"a"});
  expect_split({"--distributed", "a"}, {"--distributed"}, {"a"});
  expect_split({"--distributed", "--", "a", "b"}, {"--distributed"}, {"a", "b"});
  expect_split({"--distributed", "--json", "a"}, {"--distributed", "--json"}, {"a"});
  expect_split({"--distributed=", "a", "b"}, {"--distributed="}, {"a", "b"});
  EXPECT_EQ(Sample().split_without({"--distributed", "off"}).own, List{"--distributed=off"});
}

TEST(Words, AskForHelpBeforeAnythingElseIsJudged) {
  expect_split({"--json", "--help", "--nosuch"}, {"--help"}, {});
  expect_split({"-h", "a"}, {"-h"}, {});
}

TEST(Words, OfNobodyAreAnErrorThatNamesTheNearest) {
  fixtures::expect_error(
      [] {
        Sample().split({"--layot", "x", "a"});
      },
      "muster exec has no option '--layot'; did you mean '--layout'?");
  fixtures::expect_error(
      [] {
        Sample().split({"-json", "a"});
      },
      "muster exec has no option '-json'; did you mean '--json'?");
  fixtures::expect_error(
      [] {
        Sample().split_without({"--json", "x\n"});
      },
      "muster topo takes only options, not 'x\\x0a'; see `muster topo --help`");
}

TEST(Words, OfSrunHaveTheirPlace) {
  List handed_on;
  Command command("doctor", "");
  command.hands_on("srun-options", handed_on, "after --: srun's options");
  fixtures::expect_error(
      [&] { split_words(command, List{"-N3"}); },
      "muster doctor has no option '-N3'; put srun's options after --: `muster doctor -- -N3`");
  fixtures::expect_error([&] { split_words(command, List{"--hlep"}); }, "did you mean '--help'?");
}

TEST(Words, OfACommandThatTakesArgumentsHaveAnyOrder) {
  bool watch = false;
  std::string layout;
  List step;
  Command command("status", "");
  command.flag("--watch", watch, "").value("--layout", layout, "").takes("step", step, "JOB.STEP");
  const auto expect = [&](const List& words, const List& own, const List& arguments) {
    const auto split = split_words(command, words);
    EXPECT_EQ(split.own, own);
    EXPECT_EQ(split.handed_on, arguments);
  };
  expect({"51", "--watch"}, {"--watch"}, {"51"});
  expect({"--watch", "51"}, {"--watch"}, {"51"});
  expect({"51", "--layout", "x", "--watch", "52"}, {"--layout=x", "--watch"}, {"51", "52"});
  expect({"51", "--", "--watch"}, {}, {"51", "--watch"});
  expect({"51", "-h", "--nosuch"}, {"-h"}, {});
}

TEST(Words, OfNobodyAreAnErrorWithoutALongList) {
  std::array<bool, 12> flags{};
  Command command("run", "");
  for (std::size_t i = 0; i < flags.size(); ++i)
    command.flag("--flag-" + std::to_string(i), flags.at(i), "");
  fixtures::expect_error([&] { split_words(command, List{"--quite-another"}); },
                         "muster run has no option '--quite-another'; see `muster run --help`");
}

TEST(Words, OfAnyBytesAreHandedOnAsTheyAre) {
  fixtures::RandomText random(11);
  const List pieces{"[", "]", "--", "-", "\"",     "'",    ",", "{", "}",
                    " ", "=", "\n", "x", "--json", "\xff", "%", "\\"};
  const List own{"--json", "--layout=[a,b]", "--distributed=[x]"};
  for (int round = 0; round < 2000; ++round) {
    List words(own.begin(),
               own.begin() + static_cast<std::ptrdiff_t>(random.below(own.size() + 1)));
    const List expected_own = words;
    List program;
    for (auto count = 1 + random.below(8); count > 0; --count)
      program.push_back(random.pieces(pieces, 6));
    words.emplace_back("--");
    std::ranges::copy(program, std::back_inserter(words));
    expect_split(words, expected_own, program);
  }
}

}  // namespace
}  // namespace muster::command
