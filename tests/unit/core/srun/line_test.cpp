#include "core/srun/line.hpp"

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

using Words = std::vector<std::string>;

// `program` counts from srun; 0 if unknown.
Line line_of(Words arguments, std::size_t program) {
  arguments.insert(arguments.begin(), "srun");
  return read_line({arguments, program});
}

TEST(SrunLine, HasEachFormOfAnOption) {
  const auto line =
      line_of({"-N4", "-n", "16", "--mem=2G", "--time", "5", "-l", "--pty", "./p"}, 9);
  const std::vector<Option> expected{{"nodes", "4", {"-N4"}},     {"ntasks", "16", {"-n", "16"}},
                                     {"mem", "2G", {"--mem=2G"}}, {"time", "5", {"--time", "5"}},
                                     {"label", {}, {"-l"}},       {"pty", {}, {"--pty"}}};
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
  EXPECT_EQ(line.options.at(1), (Option{"immediate", "5", {"-I5"}}));
  EXPECT_EQ(line.last("exclusive")->value, std::nullopt);
  EXPECT_EQ(line.last("nodes"), nullptr);
}

TEST(SrunLine, TakesLettersApart) {
  const auto line = line_of({"-vvlN4", "-ukn", "8", "./p"}, 4);
  const std::vector<Option> expected{{"verbose", {}, {"-v"}},    {"verbose", {}, {"-v"}},
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

// Each of these misled a parser that looked only at how the words begin.
TEST(SrunLine, HasTheValuesThatSrunReads) {
  const auto value = [](Words arguments, std::string_view name) {
    const auto program = arguments.size() + 1;
    arguments.emplace_back("./p");
    const auto line = line_of(arguments, program);
    return line.has(name) ? line.last(name)->value.value_or("") : "none";
  };
  EXPECT_EQ(value({"-lK0"}, "kill-on-bad-exit"), "0");
  EXPECT_EQ(value({"--comment", "-K0"}, "kill-on-bad-exit"), "none");
  EXPECT_EQ(value({"-lt5"}, "time"), "5");
  EXPECT_EQ(value({"-J", "-t5"}, "time"), "none");
  EXPECT_EQ(value({"-lc4"}, "cpus-per-task"), "4");
  EXPECT_EQ(value({"--exclude=n3"}, "exclusive"), "none");
  EXPECT_EQ(value({"--hin=nomultithread"}, "hint"), "nomultithread");
  EXPECT_EQ(value({"-J", "-Q"}, "quiet"), "none");
}

TEST(SrunLine, KnowsTheSecondNameOfAnOption) {
  EXPECT_EQ(line_of({"--tasks-per-node=2", "./p"}, 2).last("ntasks-per-node")->value, "2");
  EXPECT_EQ(line_of({"--ntasks-per-node=2", "./p"}, 2).last("tasks-per-node")->value, "2");
  EXPECT_TRUE(line_of({"--pack-group=0", "./p"}, 2).has_any({"mpi", "het-group"}));
  EXPECT_FALSE(line_of({"./p", "--het-group=0"}, 1).has_any({"mpi", "het-group"}));
}

TEST(SrunSetting, IsTheLinesOrElseTheVariables) {
  const auto time = [](const Words& arguments, const Environment& environment) {
    return setting(line_of(arguments, 0), environment, "time");
  };
  EXPECT_EQ(time({"-t5", "--time=6"}, {{"SLURM_TIMELIMIT", "7"}}), "6");
  EXPECT_EQ(time({"-n5"}, {{"SLURM_TIMELIMIT", "7"}}), "7");
  EXPECT_EQ(time({"-n5"}, {}), std::nullopt);
  const Environment both{{"SLURM_EXPORT_ENV", "NONE"}, {"SRUN_EXPORT_ENV", "ALL"}};
  EXPECT_EQ(setting(line_of({}, 0), both, "export"), "ALL");
  EXPECT_EQ(setting(line_of({}, 0), both, "of-no-srun"), std::nullopt);
}

TEST(SrunLine, StandsBehindItsVariables) {
  const Environment environment{{"SLURM_TIMELIMIT", "7"},  {"SLURM_OVERCOMMIT", "yes"},
                                {"SLURM_SPREAD_JOB", "0"}, {"SLURM_EXCLUSIVE", ""},
                                {"SLURM_LABELIO", "1"},    {"SLURM_USE_MIN_NODES", "no"}};
  const auto line = with_variables(line_of({"-t5", "./p"}, 2), environment);
  const std::vector<Option> expected{{"exclusive", {}, {}},
                                     {"label", {}, {}},
                                     {"overcommit", {}, {}},
                                     {"time", "7", {}},
                                     {"time", "5", {"-t5"}}};
  EXPECT_EQ(line.options, expected);
}

TEST(SrunComponents, BeginBehindTheColons) {
  const auto lines = read_components(
      {{"srun", "-J", ":", "-n1", "./a", "x", ":", "-n", "2", "./b", ":", ":", "-N3"}, 4});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].last("job-name")->value, ":");
  EXPECT_EQ(lines[0].end, 4U);
  EXPECT_EQ(lines[1].last("ntasks")->value, "2");
  EXPECT_EQ(lines[1].program, 9U);
  EXPECT_TRUE(lines[2].options.empty());
  EXPECT_EQ(lines[3].last("nodes")->value, "3");
  EXPECT_EQ(read_components({{"srun", "-n1", "./a"}, 2}).size(), 1U);
}

TEST(SrunComponents, AreOneLineForWhoAsksAboutTheStep) {
  const auto line = read_step({{"srun", "-lN1", "./a", ":", "-Q", "-t5", "./b", "-n9"}, 2});
  EXPECT_TRUE(line.has("label") && line.has("quiet"));
  EXPECT_EQ(line.last("time")->value, "5");
  EXPECT_FALSE(line.has("ntasks"));
  EXPECT_EQ(line.program, 2U);
}

TEST(OptionsOfPlugins, AreThoseThatSrunAndMusterDoNotHave) {
  const auto line =
      line_of({"-N2", "--ntasks=4", "--distributed=torch", "--environment=image", "--uenv", "x:v1",
               "--exclusive", "--container-mounts=/a", "--comment", "--no-option", "--", "./p"},
              12);
  EXPECT_EQ(options_of_plugins(line),
            (std::vector<std::string>{"environment", "uenv", "container-mounts"}));
}

}  // namespace
}  // namespace muster::srun
