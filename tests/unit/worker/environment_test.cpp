#include "worker/environment.hpp"

#include "worker/error.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace muster::worker
