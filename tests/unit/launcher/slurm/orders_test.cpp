#include "launcher/slurm/orders.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

using std::chrono::seconds;

TEST(TimeToRemove, IsWellBeforeSlurmMayCallTheNodeDown) {
  EXPECT_EQ(removal_timeout(seconds{300}), seconds{150});
  EXPECT_EQ(removal_timeout(seconds{1}), seconds{0});
}

TEST(TimeToRemove, IsNeverWhereSlurmCallsNoNodeDown) {
  EXPECT_EQ(removal_timeout(seconds{0}), std::nullopt);
}

}  // namespace
}  // namespace muster::slurm
