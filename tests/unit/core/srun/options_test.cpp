#include "core/srun/options.hpp"

#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

namespace muster::srun {
namespace {

std::string_view completed(std::string_view name) {
  const auto* const info = complete_option(name);
  return info == nullptr ? std::string_view() : own_name(*info);
}

TEST(SrunOptions, StandInTheOrderOfTheirNames) {
  EXPECT_TRUE(std::ranges::is_sorted(all_options(), {}, &OptionInfo::name));
  for (const auto& info : all_options()) {
    EXPECT_EQ(find_option(info.name), &info) << info.name;
    EXPECT_TRUE(info.letter == 0 || find_option(info.letter) == &info) << info.name;
    EXPECT_TRUE(info.same_as.empty() || find_option(info.same_as) != nullptr) << info.name;
  }
}

TEST(SrunOptions, MayBeAbbreviatedWhereNoOtherBeginsTheSame) {
  EXPECT_EQ(completed("hin"), "hint");
  EXPECT_EQ(completed("ntasks-per-n"), "ntasks-per-node");
  EXPECT_EQ(completed("quie"), "quiet");
  EXPECT_EQ(completed("qui"), "");
  EXPECT_EQ(completed("nodes"), "nodes");
  EXPECT_EQ(completed("node"), "");
  EXPECT_EQ(completed("environment"), "");
  EXPECT_EQ(completed(""), "");
}

TEST(SrunOptions, HaveASecondName) {
  EXPECT_EQ(completed("tasks-per"), "ntasks-per-node");
  EXPECT_EQ(completed("pack"), "het-group");
  EXPECT_EQ(completed("cpu_b"), "cpu-bind");
}

// --par means --partition before 26.05, which has --parsable.
TEST(SrunOptions, AreAbbreviatedAsTheOldestReleaseTakesIt) {
  EXPECT_EQ(completed("par"), "partition");
  EXPECT_EQ(completed("extr"), "extra-node-info");
  EXPECT_EQ(completed("exter"), "external-launcher");
  EXPECT_EQ(completed("tres-p"), "tres-per-task");
}

TEST(SrunOptions, AreToldFromThoseOfPlugins) {
  EXPECT_TRUE(begins_option("ntasks-per-n"));
  EXPECT_TRUE(begins_option("no"));
  EXPECT_FALSE(begins_option("environment"));
  EXPECT_FALSE(begins_option(""));
}

TEST(SrunOptions, HaveLetters) {
  EXPECT_EQ(find_option('t')->name, "time");
  EXPECT_EQ(find_option('z'), nullptr);
  EXPECT_EQ(find_option('\0'), nullptr);
}

}  // namespace
}  // namespace muster::srun
