#include "launcher/tools/health/node_check.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace muster::health {
namespace {

using namespace std::chrono_literals;
using restart::Health;
using restart::NodeCheck;

TEST(CheckNode, FindsNothingWhereNothingIsAsked) {
  EXPECT_EQ(check_node({}, "node1"), (NodeCheck{"node1", 0, false, Health::unknown, ""}));
}

TEST(CheckNode, RunsTheCommand) {
  EXPECT_EQ(check_node({.health = "true"}, "node1").health, Health::well);
  EXPECT_EQ(check_node({.health = "false"}, "node1"),
            (NodeCheck{"node1", 0, false, Health::ill, "exit code 1"}));
}

TEST(CheckNode, AsksForMemoryOnlyWhereTheStepHasGpus) {
  setenv("NVML_DOUBLE", "held", 1);
  EXPECT_FALSE(check_node({}, "node1", NVML_DOUBLE).gpu_memory_held);
  EXPECT_TRUE(
      check_node({.gpus = true, .memory_timeout = 200ms}, "node1", NVML_DOUBLE).gpu_memory_held);
  unsetenv("NVML_DOUBLE");
}

TEST(MaxTime, IsShortWithoutGpusAndCommand) {
  EXPECT_LT(max_time({}), 1s);
  EXPECT_GT(max_time({.health = "true", .health_timeout = 60s}), 60s);
}

}  // namespace
}  // namespace muster::health
