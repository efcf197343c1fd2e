#include "spank/option.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace muster::spank {
namespace {

std::optional<std::string> wanted_after(std::initializer_list<const char*> arguments,
                                        const char* twin = nullptr) {
  Option option;
  for (const auto* const argument : arguments) option.accept(argument);
  return option.wanted(twin);
}

TEST(Option, IsNothingUntilItIsGiven) {
  EXPECT_FALSE(Option().given());
  EXPECT_EQ(wanted_after({}), std::nullopt);
}

TEST(Option, IsBareInEveryWayThatSlurmWritesIt) {
  for (const auto* const bare : {static_cast<const char*>(nullptr), "", "(null)"}) {
    Option option;
    option.accept(bare);
    EXPECT_TRUE(option.given());
    EXPECT_EQ(option.wanted(nullptr), "");
  }
}

TEST(Option, KeepsItsValueExactly) {
  EXPECT_EQ(wanted_after({"torch,bind=none"}), "torch,bind=none");
  EXPECT_EQ(wanted_after({" torch"}), " torch");
}

TEST(Option, TakesTheLastOfSeveralValues) {
  EXPECT_EQ(wanted_after({"torch", "none"}), "none");
  EXPECT_EQ(wanted_after({"torch", nullptr}), "");
}

TEST(Option, OffCancelsWhatWasInherited) {
  EXPECT_EQ(wanted_after({"torch", "off"}), std::nullopt);
  EXPECT_EQ(wanted_after({"off"}, "torch"), std::nullopt);
  EXPECT_EQ(wanted_after({"off", "torch"}), "torch");
  Option off;
  off.accept("off");
  EXPECT_TRUE(off.given());
}

TEST(Option, YieldsToItsTwinOnlyWhenNotGiven) {
  EXPECT_EQ(wanted_after({}, "none"), "none");
  EXPECT_EQ(wanted_after({"torch"}, "none"), "torch");
  EXPECT_EQ(wanted_after({""}, "none"), "");
  EXPECT_EQ(wanted_after({}, ""), std::nullopt);
  EXPECT_EQ(wanted_after({}, "off"), std::nullopt);
}

}  // namespace
}  // namespace muster::spank
