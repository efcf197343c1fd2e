#include "launcher/allocation/srun_line.hpp"

#include "core/option/srun_options.hpp"

#include <gtest/gtest.h>

namespace muster::allocation {
namespace {

using Words = std::vector<std::string>;

// `program` counts from srun; 0 for what nobody knows.
SrunLine line_of(Words arguments, std::size_t program) {
  arguments.insert(arguments.begin(), "srun");
  return read_srun_line({arguments, program});
}

TEST(SrunLine, HasEachFormOfAnOption) {
  const auto line =
      line_of({"-N4", "-n", "16", "--mem=2G", "--time", "5", "-l", "--pty", "./p"}, 9);
  const std::vector<SrunOption> expected{
      {"nodes", "4", {"-N4"}},        {"ntasks", "16", {"-n", "16"}}, {"mem", "2G", {"--mem=2G"}},
      {"time", "5", {"--time", "5"}}, {"label", {}, {"-l"}},          {"pty", {}, {"--pty"}}};
  EXPECT_EQ(line.options, expected);
  EXPECT_EQ(line.program, 9U);
}

TEST(SrunLine, TakesAnyWordForTheValueOfAnOptionThatNeedsOne) {
  const auto line = line_of({"-o", "-N4", "--comment", "--nodes=9", "-n2", "./p"}, 6);
  EXPECT_EQ(line.last("output")->value, "-N4");
  EXPECT_EQ(line.last("comment")->value, "--nodes=9");
  EXPECT_EQ(line.last("nodes"), nullptr);
}

TEST(SrunLine, TakesNoWordForAnOptionalValue) {
  const auto line = line_of({"-K", "-I5", "--exclusive", "--immediate", "./p", "-N9"}, 5);
  EXPECT_EQ(line.last("kill-on-bad-exit")->value, std::nullopt);
  EXPECT_EQ(line.options.at(1), (SrunOption{"immediate", "5", {"-I5"}}));
  EXPECT_EQ(line.last("exclusive")->value, std::nullopt);
  EXPECT_EQ(line.last("nodes"), nullptr);
}

TEST(SrunLine, TakesLettersApart) {
  const auto line = line_of({"-vvlN4", "-ukn", "8", "./p"}, 4);
  const std::vector<SrunOption> expected{{"verbose", {}, {"-v"}},    {"verbose", {}, {"-v"}},
                                         {"label", {}, {"-l"}},      {"nodes", "4", {"-N4"}},
                                         {"unbuffered", {}, {"-u"}}, {"no-kill", "n", {"-kn"}}};
  EXPECT_EQ(std::vector(line.options.begin(), line.options.begin() + 6), expected);
}

TEST(SrunLine, KnowsAbbreviations) {
  const auto line =
      line_of({"--nodel=n1", "--ntasks-per-n", "4", "--overl", "--nodes=2", "./p"}, 6);
  EXPECT_EQ(line.last("nodelist")->value, "n1");
  EXPECT_EQ(line.last("ntasks-per-node")->value, "4");
  EXPECT_NE(line.last("overlap"), nullptr);
  EXPECT_EQ(line.last("nodes")->value, "2");
}

TEST(SrunLine, KnowsTheValuesOfOtherPluginsByWhereTheProgramIs) {
  const auto line =
      line_of({"--distributed=torch", "--container-image", "a b", "--mute", "-N2", "./p"}, 6);
  EXPECT_EQ(line.last("container-image")->value, "a b");
  EXPECT_EQ(line.last("mute")->value, std::nullopt);
  EXPECT_EQ(line.last("nodes")->value, "2");
}

TEST(SrunLine, FindsTheProgramWhereNobodyKnowsIt) {
  EXPECT_EQ(line_of({"-N", "2", "--distributed", "./p", "-n3"}, 0).program, 4U);
  EXPECT_EQ(line_of({"-N", "2", "--", "-p"}, 0).program, 4U);
  EXPECT_EQ(line_of({"-N", "2"}, 0).program, 3U);
}

TEST(SrunLine, EndsInFrontOfTheDashesBeforeTheProgram) {
  const auto line = line_of({"-N2", "--", "./p"}, 3);
  EXPECT_EQ(line.end, 2U);
  EXPECT_EQ(line.program, 3U);
  EXPECT_EQ(line.options.size(), 1U);
}

TEST(SrunLine, EndsWithAnOptionThatLacksItsValue) {
  EXPECT_EQ(line_of({"-N"}, 0).last("nodes")->value, std::nullopt);
  EXPECT_TRUE(line_of({}, 0).options.empty());
}

}  // namespace
}  // namespace muster::allocation
