#include "launcher/slurm/orders.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

using std::chrono::seconds;

TEST(TimeToRemove, IsWellBeforeSlurmMayCallTheNodeDown) {
  EXPECT_EQ(time_to_remove(seconds{300}), seconds{150});
  EXPECT_EQ(time_to_remove(seconds{1}), seconds{0});
}

TEST(TimeToRemove, IsNeverWhereSlurmCallsNoNodeDown) {
  EXPECT_EQ(time_to_remove(seconds{0}), std::nullopt);
}

}  // namespace
}  // namespace muster::slurm
