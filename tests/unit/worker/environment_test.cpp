#include "worker/environment.hpp"

#include "worker/error.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::worker {
namespace {

TEST(WorkerEnvironment, TreatsAnEmptyVariableAsNone) {
  const Environment environment{{{"A", ""}, {"B", "x"}}};
  EXPECT_FALSE(environment.has("A"));
  EXPECT_TRUE(environment.has("B"));
  EXPECT_FALSE(environment.has("C"));
  EXPECT_EQ(environment.number("A", 5), std::nullopt);
}

TEST(WorkerEnvironment, ReadsWholeNumbersOnly) {
  EXPECT_EQ((Environment{{{"N", "12"}}}.number("N", 12)), 12);
  for (const auto* text : {"13", "-1", "1x", " 1", "0x1", "99999999999999999999", "x"}) {
    const Environment environment{{{"N", text}}};
    EXPECT_THROW(environment.number("N", 12), Error) << text;
  }
}

TEST(WorkerEnvironment, IsThatOfTheProcess) {
  ::setenv("MUSTER_TEST_VARIABLE", "a=b", 1);  // NOLINT(concurrency-mt-unsafe)
  EXPECT_EQ(Environment::of_process().get("MUSTER_TEST_VARIABLE"), "a=b");
}

TEST(WorkerEnvironment, TakesTheFirstOfTwoWithOneNameAndLeavesOutWhatIsNoVariable) {
  std::array<std::string, 4> texts{"TWICE=first", "NONE", "TWICE=second", "=odd"};
  std::array<char*, 5> entries{};
  std::transform(texts.begin(), texts.end(), entries.begin(),
                 [](auto& text) { return text.data(); });
  const auto environment = [&] {
    char** const before = std::exchange(environ, entries.data());
    auto read = Environment::of_process();
    environ = before;
    return read;
  }();
  EXPECT_EQ(environment.get("TWICE"), "first");
  EXPECT_FALSE(environment.is_set("NONE"));
}

TEST(WorkerEnvironment, TellsNamesApartThatBeginOrEndAlike) {
  const Environment environment{{{"A", "B"}, {"AB", ""}, {"B", "AB"}}};
  EXPECT_EQ(environment.get("A"), "B");
  EXPECT_TRUE(environment.is_set("AB"));
  EXPECT_EQ(environment.get("B"), "AB");
  EXPECT_FALSE(environment.is_set("ABA"));
  EXPECT_FALSE(environment.is_set(""));
}

TEST(WorkerEnvironment, OutlivesItsOriginal) {
  auto original = std::make_unique<Environment>(Environment::Map{{"A", "x"}});
  const Environment copy = *original;
  original.reset();
  EXPECT_EQ(copy.get("A"), "x");
}

}  // namespace
}  // namespace muster::worker
