#include "core/environment.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(EnvironmentTest, AVariableThatIsNotSetReadsAsEmptyAndIsToldFromAnEmptyOne) {
  const Environment environment{{"EMPTY", ""}, {"FULL", "a=b"}};
  EXPECT_EQ(environment.get("FULL"), "a=b");
  EXPECT_EQ(environment.get("EMPTY"), "");
  EXPECT_EQ(environment.get("ABSENT"), "");
  ASSERT_NE(environment.if_set("EMPTY"), nullptr);
  EXPECT_EQ(environment.if_set("ABSENT"), nullptr);
}

TEST(EnvironmentTest, AnEntryIsSplitAtTheFirstEqualsSignAndTheFirstOfAKindWins) {
  Environment environment;
  environment.add_entry("A=1=2");
  environment.add_entry("A=3");
  environment.add_entry("no variable");
  environment.add_entry("B=");
  EXPECT_EQ(environment, (Environment{{"A", "1=2"}, {"B", ""}}));
}

TEST(EnvironmentTest, SetReplacesAndUnsetForgets) {
  Environment environment{{"A", "1"}, {"B", "2"}, {"C", "3"}};
  environment.set("A", "4");
  environment.add("B", "5");
  environment.unset("C");
  environment.unset("D");
  EXPECT_EQ(environment, (Environment{{"A", "4"}, {"B", "2"}}));
  environment.unset_if([](const auto& variable) { return variable.second == "4"; });
  EXPECT_EQ(environment, (Environment{{"B", "2"}}));
}

}  // namespace
}  // namespace muster
